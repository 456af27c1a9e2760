//! Turns: which run computes next on the one thread that a process has for them.
//!
//! A run computes for a bounded amount of fuel and then yields. Were each run that wants to go on a task that is ready, an owner
//! with four of them would compute four times as long as another one, and a short run would wait for all four again at each step
//! of the way: for the thread to read its script, to begin it, and to send its answer. So an owner has one turn at a time: its runs
//! queue for it, and one of them is a task that is ready. A run that waits for an answer is not in the queue. A host call must not
//! wait for another run of its owner in the same process: that one could get a turn that its own waker waits for.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Wake, Waker};

use crate::shares::Owner;

/// The turns of all owners. An owner without runs takes no memory for longer than until the next run of any owner begins.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<HashMap<Owner, Weak<Queue>>>);

/// The runs of one owner that want the turn.
#[derive(Debug, Default)]
struct Queue(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Arc<Place>>,
    /// Whether a run has the turn, from when it is told so until it has computed.
    is_given: bool,
}

/// The place of a run in the queue of its owner. Waking it queues it.
#[derive(Debug)]
struct Place {
    queue: Arc<Queue>,
    standing: Mutex<Standing>,
}

/// How a run stands. It is locked after its queue, where both are.
#[derive(Debug, Default)]
struct Standing {
    /// The task to wake when the run has the turn.
    task: Option<Waker>,
    wants_turn: bool,
    has_turn: bool,
}

/// A run's part in the turns of its owner. Dropping it leaves the queue.
#[derive(Debug)]
pub(crate) struct Turn {
    place: Arc<Place>,
    waker: Waker,
}

impl Turns {
    /// A place in the queue of an owner, for a run that wants to begin.
    pub(crate) fn of(&self, owner: Owner) -> Turn {
        let queue = {
            let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let known = queues.get(&owner).and_then(Weak::upgrade);
            known.unwrap_or_else(|| {
                queues.retain(|_, queue| queue.strong_count() > 0);
                let queue = Arc::<Queue>::default();
                queues.insert(owner, Arc::downgrade(&queue));
                queue
            })
        };
        let place = Arc::new(Place { queue, standing: Mutex::default() });
        let waker = Waker::from(Arc::clone(&place));
        waker.wake_by_ref();
        Turn { place, waker }
    }
}

impl Turn {
    /// Polls `work` if it wants to go on and this run has the turn, which the next run of the owner has then.
    pub(crate) fn poll<T>(&self, context: &Context<'_>, work: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
        let before = {
            let mut standing = self.place.standing();
            let is_same = standing.task.as_ref().is_some_and(|task| task.will_wake(context.waker()));
            let before = if is_same { None } else { standing.task.replace(context.waker().clone()) };
            if !standing.has_turn {
                return Poll::Pending;
            }
            // From here on, waking queues it anew: behind the others.
            standing.wants_turn = false;
            before
        };
        // A waker is somebody else's code, and goes without the lock.
        drop(before);
        let polled = work.poll(&mut Context::from_waker(&self.waker));
        self.place.pass_on();
        polled
    }

    /// Has the run polled in its next turn, as if what it waits for had come.
    pub(crate) fn want(&self) {
        self.waker.wake_by_ref();
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.place.queue.state();
        state.waiting.retain(|place| !Arc::ptr_eq(place, &self.place));
        // Whoever keeps the waker, such as a timer or another thread that wakes it now, queues nothing any more.
        let gone = std::mem::replace(&mut *self.place.standing(), Standing { wants_turn: true, ..Standing::default() });
        // A run that is cancelled may have been told already, and one that panicked had the turn.
        if gone.has_turn {
            state.is_given = false;
        }
        let next = state.give();
        drop(state);
        wake(next);
    }
}

impl Wake for Place {
    fn wake(self: Arc<Self>) {
        Self::wake_by_ref(&self);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut state = self.queue.state();
        if !std::mem::replace(&mut self.standing().wants_turn, true) {
            state.waiting.push_back(Arc::clone(self));
        }
        let next = state.give();
        drop(state);
        wake(next);
    }
}

impl Place {
    /// Gives the turn, if this run has it, to the one that has waited longest.
    fn pass_on(&self) {
        let mut state = self.queue.state();
        if std::mem::take(&mut self.standing().has_turn) {
            state.is_given = false;
        }
        let next = state.give();
        drop(state);
        wake(next);
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Gives the turn to the first that waits, unless one has it, and returns the task to wake: not with the lock.
    fn give(&mut self) -> Option<Waker> {
        if self.is_given {
            return None;
        }
        let place = self.waiting.pop_front()?;
        self.is_given = true;
        let mut standing = place.standing();
        standing.has_turn = true;
        standing.task.clone()
    }
}

fn wake(task: Option<Waker>) {
    if let Some(task) = task {
        task.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;

    use super::*;

    const ALICE: Owner = Owner(1);
    const BOB: Owner = Owner(2);

    type Told = Arc<Mutex<Vec<&'static str>>>;

    /// Computes `steps` times and yields in between; each time it notes its name.
    async fn computing(turn: Turn, name: &'static str, steps: usize, told: Told) {
        let mut work = pin!(async {
            for step in 0..steps {
                told.lock().expect("no panic").push(name);
                if step + 1 < steps {
                    yielded().await;
                }
            }
        });
        poll_fn(|context| turn.poll(context, work.as_mut())).await;
    }

    /// Yields once, as wasmtime does when a run has burnt its fuel: it wakes itself at once.
    async fn yielded() {
        let mut has_yielded = false;
        poll_fn(|context| {
            if std::mem::replace(&mut has_yielded, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    #[tokio::test]
    async fn c11_an_owner_with_four_runs_computes_as_long_as_one_with_one() {
        let (turns, told) = (Turns::default(), Told::default());
        let runs = [("a", ALICE), ("b", ALICE), ("c", ALICE), ("d", ALICE), ("-", BOB)];
        let tasks = runs.map(|(name, owner)| tokio::spawn(computing(turns.of(owner), name, 4, Arc::clone(&told))));
        for task in tasks {
            task.await.expect("no panic");
        }
        // All five were begun at once. From then on Alice's runs take turns, and Bob's one is never more than one of hers away.
        assert_eq!(told.lock().expect("no panic").concat(), "abcd-a-b-c-dabcdabcd");
    }

    #[tokio::test]
    async fn a_run_that_goes_or_panics_passes_its_turn_on() {
        let (turns, told) = (Turns::default(), Told::default());
        let first = tokio::spawn(computing(turns.of(ALICE), "first", usize::MAX, Arc::clone(&told)));
        let panics = turns.of(ALICE);
        let panics = tokio::spawn(async move {
            let mut work = pin!(async { panic!("a fault") });
            poll_fn(|context| panics.poll(context, work.as_mut())).await;
        });
        let never = turns.of(ALICE);
        let last = tokio::spawn(computing(turns.of(ALICE), "last", 1, Arc::clone(&told)));
        tokio::task::yield_now().await;
        first.abort();
        drop(never);
        assert!(panics.await.expect_err("it panics").is_panic());
        last.await.expect("it has its turn");
        assert_eq!(told.lock().expect("no panic").last(), Some(&"last"));
    }

    #[tokio::test]
    async fn a_run_that_waits_for_an_answer_leaves_the_turn_to_others() {
        let (turns, told) = (Turns::default(), Told::default());
        let (answer, answered) = tokio::sync::oneshot::channel::<&'static str>();
        let (turn, noted) = (turns.of(ALICE), Arc::clone(&told));
        let waits = tokio::spawn(async move {
            let mut work = pin!(async {
                let answer = answered.await.expect("an answer");
                noted.lock().expect("no panic").push(answer);
            });
            poll_fn(|context| turn.poll(context, work.as_mut())).await;
        });
        computing(turns.of(ALICE), "other", 2, Arc::clone(&told)).await;
        answer.send("answered").expect("it waits");
        waits.await.expect("no panic");
        assert_eq!(*told.lock().expect("no panic"), ["other", "other", "answered"]);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_run_that_another_thread_wakes_as_it_goes_keeps_no_turn() {
        let (turns, told) = (Turns::default(), Told::default());
        let first = turns.of(ALICE);
        let queue = Arc::clone(&first.place.queue);
        drop(first);
        for _ in 0..2_000 {
            let (answer, answered) = tokio::sync::oneshot::channel::<()>();
            let turn = turns.of(ALICE);
            let waits = tokio::spawn(async move {
                let mut work = pin!(answered);
                let _ = poll_fn(|context| turn.poll(context, work.as_mut())).await;
            });
            tokio::task::yield_now().await;
            let answers = tokio::spawn(async { answer.send(()) });
            waits.abort();
            let _ = (waits.await, answers.await);
        }
        computing(turns.of(ALICE), "last", 2, Arc::clone(&told)).await;
        assert_eq!(*told.lock().expect("no panic"), ["last", "last"]);
        assert!(queue.state().waiting.is_empty() && !queue.state().is_given);
    }

    #[test]
    fn owners_without_runs_are_forgotten() {
        let turns = Turns::default();
        for owner in 0..100 {
            drop(turns.of(Owner(owner)));
        }
        let kept = turns.of(ALICE);
        assert_eq!(turns.0.lock().expect("no panic").len(), 1);
        drop(kept);
    }
}
