//! Waiting: the clock subscriptions of WASI's `poll_oneoff`, as one wait that the host ends.
//!
//! A guest has nothing else to wait for. Files and streams are always ready, and without subscriptions there is nothing
//! to do; so `time.sleep`, `select` and every event loop end up here.

use core::ptr;

use wasi::{
    ERRNO_FAULT, ERRNO_INVAL, ERRNO_SUCCESS, EVENTTYPE_CLOCK, Event, EventFdReadwrite,
    SUBCLOCKFLAGS_SUBSCRIPTION_CLOCK_ABSTIME, Subscription,
};

#[link(wasm_import_module = "intentbox")]
unsafe extern "C" {
    /// Lets `nanoseconds` pass.
    safe fn pause(nanoseconds: u64);
}

/// The most subscriptions of one call: `select` on a thousand descriptors is the most that Python can ask.
const SUBSCRIPTIONS_MAX: usize = 4_096;

/// `poll_oneoff(in, out, nsubscriptions, *nevents) -> errno`
#[unsafe(no_mangle)]
extern "C" fn scratch_poll_oneoff(
    subscriptions: *const Subscription,
    events: *mut Event,
    count: usize,
    events_count: *mut usize,
) -> i32 {
    let errno = |errno: wasi::Errno| i32::from(errno.raw());
    if count == 0 || count > SUBSCRIPTIONS_MAX {
        return errno(ERRNO_INVAL);
    }
    if subscriptions.is_null() || events.is_null() || events_count.is_null() {
        return errno(ERRNO_FAULT);
    }
    // SAFETY: the caller, a C or Rust library of this very program, gives `count` subscriptions and room for as many
    // events, as `poll_oneoff` demands.
    let read = |index: usize| unsafe { ptr::read(subscriptions.add(index)) };
    // Measured once: the one that was waited for is due, whatever the coarse clock shows afterwards.
    let waits: Vec<u64> = (0..count).map(|index| nanoseconds(&read(index))).collect();
    let wait = waits.iter().copied().min().unwrap_or(0);
    if wait > 0 {
        pause(wait);
    }
    let mut happened = 0;
    for index in (0..count).filter(|index| waits[*index] == wait) {
        let subscription = read(index);
        let event = Event {
            userdata: subscription.userdata,
            error: ERRNO_SUCCESS,
            type_: match subscription.u.tag {
                1 => wasi::EVENTTYPE_FD_READ,
                2 => wasi::EVENTTYPE_FD_WRITE,
                _ => EVENTTYPE_CLOCK,
            },
            fd_readwrite: EventFdReadwrite { nbytes: 1, flags: 0 },
        };
        // SAFETY: at most `count` events are written, see above.
        unsafe { ptr::write(events.add(happened), event) };
        happened += 1;
    }
    // SAFETY: checked above; the caller gives a place for one number.
    unsafe { ptr::write(events_count, happened) };
    errno(ERRNO_SUCCESS)
}

/// How long until the subscription is due: files are always ready.
fn nanoseconds(subscription: &Subscription) -> u64 {
    if subscription.u.tag != EVENTTYPE_CLOCK.raw() {
        return 0;
    }
    // SAFETY: the tag says that it is a clock.
    let clock = unsafe { subscription.u.u.clock };
    if clock.flags & SUBCLOCKFLAGS_SUBSCRIPTION_CLOCK_ABSTIME == 0 {
        return clock.timeout;
    }
    // SAFETY: reading a clock has no precondition.
    let now = unsafe { wasi::clock_time_get(clock.id, clock.precision) };
    now.map_or(0, |now| clock.timeout.saturating_sub(now))
}
