//! Output that is passed on while its run goes on, to who follows it. All of it comes with the ending as well.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use intentbox_verdict::Limits;

use crate::calls::{Calls, OutputStream};

/// How long output is gathered before it is passed on: a person who looks on sees no difference, and a script that prints in
/// a loop makes four messages in a second and not a million.
const PAUSE: Duration = Duration::from_millis(250);

/// How much of it is passed on at once, in bytes. So much does not wait.
const PIECE_BYTES: usize = 16 << 10;

/// The output of one run that is not passed on yet.
pub(crate) struct LiveOutput {
    calls: Arc<dyn Calls>,
    held: Mutex<Held>,
}

struct Held {
    /// When output was last passed on, or the run began.
    passed_at: Instant,
    /// Whether anything came since then.
    is_fresh: bool,
    stdout: Gathered,
    stderr: Gathered,
}

/// What was gathered of one stream.
struct Gathered {
    bytes: Vec<u8>,
    /// How many bytes of text may still be passed on.
    room: usize,
}

impl LiveOutput {
    /// The output of a run, if anybody follows it.
    pub(crate) fn of(calls: &Arc<dyn Calls>, limits: &Limits) -> Option<Arc<LiveOutput>> {
        let gathered = |most: u64| Gathered { bytes: Vec::new(), room: usize::try_from(most).unwrap_or(usize::MAX) };
        calls.follows_output().then(|| {
            let (stdout, stderr) = (gathered(limits.stdout_bytes), gathered(limits.stderr_bytes));
            let held = Held { passed_at: Instant::now(), is_fresh: false, stdout, stderr };
            Arc::new(LiveOutput { calls: Arc::clone(calls), held: Mutex::new(held) })
        })
    }

    /// Takes what the script wrote.
    pub(crate) fn push(&self, stream: OutputStream, bytes: &[u8]) {
        for piece in bytes.chunks(PIECE_BYTES) {
            let mut held = self.held();
            held.is_fresh = true;
            let gathered = held.of(stream);
            gathered.bytes.extend_from_slice(piece);
            let is_much = gathered.bytes.len() >= PIECE_BYTES;
            drop(held);
            if is_much {
                self.pass_on();
            }
        }
    }

    /// When what was gathered is to be passed on, if there is anything.
    pub(crate) fn due(&self) -> Option<Instant> {
        let held = self.held();
        held.is_fresh.then(|| held.passed_at + PAUSE)
    }

    /// Passes on what was gathered.
    pub(crate) fn pass_on(&self) {
        let mut held = self.held();
        let told = [OutputStream::Stdout, OutputStream::Stderr].map(|stream| (stream, held.of(stream).take()));
        (held.passed_at, held.is_fresh) = (Instant::now(), false);
        drop(held);
        for (stream, text) in &told {
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let (piece, others) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
                self.calls.output(*stream, piece);
                rest = others;
            }
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn of(&mut self, stream: OutputStream) -> &mut Gathered {
        match stream {
            OutputStream::Stdout => &mut self.stdout,
            OutputStream::Stderr => &mut self.stderr,
        }
    }
}

impl Gathered {
    /// Takes what was gathered, as text. The beginning of a character whose rest has not come stays.
    fn take(&mut self) -> String {
        let (mut text, mut read) = (String::new(), 0);
        for chunk in self.bytes.utf8_chunks() {
            let invalid = chunk.invalid();
            text.push_str(chunk.valid());
            read += chunk.valid().len();
            let is_last = read + invalid.len() == self.bytes.len();
            if is_last && std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none()) {
                break;
            }
            if !invalid.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
                read += invalid.len();
            }
        }
        self.bytes.drain(..read);
        let fits = text.floor_char_boundary(self.room);
        // Nothing may come after a hole.
        self.room = if fits < text.len() { 0 } else { self.room - fits };
        text.truncate(fits);
        text
    }
}

#[cfg(test)]
mod tests {
    use intentbox_verdict::Resource;
    use proptest::prelude::*;

    use super::*;
    use crate::calls::{Answer, Pending};
    use crate::output::Stream;

    /// Keeps what is passed on.
    #[derive(Default)]
    struct Follower(Mutex<Vec<(OutputStream, String)>>);

    impl Calls for Follower {
        fn call(&self, _: Vec<u8>) -> Pending<'_, Option<Answer>> {
            Box::pin(async { None })
        }

        fn follows_output(&self) -> bool {
            true
        }

        fn output(&self, stream: OutputStream, text: &str) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push((stream, text.to_owned()));
        }
    }

    fn followed(limits: &Limits) -> (Arc<Follower>, Arc<LiveOutput>) {
        let follower = Arc::new(Follower::default());
        let calls: Arc<dyn Calls> = Arc::clone(&follower) as Arc<_>;
        (follower, LiveOutput::of(&calls, limits).expect("it follows"))
    }

    fn told(follower: &Follower, of: OutputStream) -> String {
        let told = follower.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.iter().filter(|(stream, _)| *stream == of).map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn who_does_not_follow_is_told_nothing() {
        let calls: Arc<dyn Calls> = Arc::new(crate::calls::NoCalls);
        assert!(LiveOutput::of(&calls, &Limits::default()).is_none());
    }

    #[test]
    fn a_little_output_waits_until_it_is_due_and_a_piece_does_not() {
        let (follower, live) = followed(&Limits::default());
        assert_eq!(live.due(), None);
        live.push(OutputStream::Stdout, b"a");
        assert!(live.due().is_some());
        assert_eq!(told(&follower, OutputStream::Stdout), "");
        live.push(OutputStream::Stderr, &[b'b'; PIECE_BYTES - 1]);
        assert_eq!(told(&follower, OutputStream::Stderr), "");
        live.push(OutputStream::Stderr, b"b");
        assert_eq!(told(&follower, OutputStream::Stdout), "a");
        assert_eq!(told(&follower, OutputStream::Stderr).len(), PIECE_BYTES);
        assert_eq!(live.due(), None);
    }

    #[test]
    fn no_message_is_longer_than_a_piece() {
        let (follower, live) = followed(&Limits::default());
        // Each of these bytes becomes three.
        live.push(OutputStream::Stdout, &vec![0xff; 3 * PIECE_BYTES]);
        let lengths: Vec<usize> =
            follower.0.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|(_, text)| text.len()).collect();
        assert!(lengths.iter().all(|length| *length <= PIECE_BYTES), "{lengths:?}");
        assert_eq!(lengths.iter().sum::<usize>(), 9 * PIECE_BYTES);
    }

    proptest! {
        #[test]
        fn what_is_passed_on_is_how_the_whole_output_begins(
            pieces in proptest::collection::vec(
                (proptest::collection::vec(prop_oneof![any::<u8>(), Just(0xc3), Just(0xbc), Just(b'a')], 0..9), any::<bool>()),
                0..20,
            ),
            most in 0_u64..60,
        ) {
            let limits = Limits { stdout_bytes: most, ..Limits::default() };
            let (follower, live) = followed(&limits);
            let mut stream = Stream::new(Resource::StdoutBytes, most);
            let mut is_full = false;
            for (bytes, passes) in &pieces {
                // Such a run is over: what fits of this is only in its ending.
                is_full = stream.push(bytes).is_err();
                if is_full {
                    break;
                }
                live.push(OutputStream::Stdout, bytes);
                if *passes {
                    live.pass_on();
                }
            }
            live.pass_on();
            let (whole, told) = (stream.take().text, told(&follower, OutputStream::Stdout));
            prop_assert!(whole.starts_with(&told), "{whole:?} does not begin with {told:?}");
            // At most the beginning of a character is missing, which the whole shows as one of three bytes.
            prop_assert!(is_full || whole.len() - told.len() <= 3);
        }
    }
}
