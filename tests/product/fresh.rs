//! No state leaks between runs, and no randomness or time of the snapshot repeats.

use std::collections::HashSet;
use std::time::Duration;

use intentbox_sandbox::{Capacity, Deterministic, Ending, Job, Limits, NoCalls, Sharing};

use crate::place::{CALL_AND_GO_ON, ROOMY, answer, both, drop_after_a_call, run, script};
use std::sync::Arc;

/// One slot: the second run gets the pages of the first.
const ONE: Capacity =
    Capacity { runs: 1, memory_bytes: 1 << 30, wait_max: Duration::from_mins(2), sharing: Sharing::Whole };

const LOOK: &str = "
import builtins, gc, os, random, sys
found = []
try:
    found += [name for name in os.listdir('/') if name not in ('tmp', 'usr')] + os.listdir('/tmp')
except OSError as error:
    found.append(str(error))
found += [name for name in ('marker', 'left_behind') if hasattr(builtins, name) or name in sys.modules or name in globals()]
found += [key for key in os.environ]
if sys.getrecursionlimit() != 1000 and sys.getrecursionlimit() > 100000:
    found.append('recursion limit')
if os.getcwd() != '/':
    found.append(os.getcwd())
for thing in gc.get_objects():
    if isinstance(thing, dict) and 'left_behind' in thing and thing is not globals():
        found.append('an object')
        break
blocks = []
for size in [64, 1024, 4096, 1 << 16, 1 << 20, 8 << 20]:
    for _ in range(8):
        blocks.append(bytearray(size))
needle = bytes(reversed(b'50f1a-rekram-a-ton'))
found += ['memory' for block in blocks if needle in block]
result = found
";

const LEAVE: &str = "
import builtins, os, random, sys
needle = bytes(reversed(b'50f1a-rekram-a-ton'))
builtins.marker = left_behind = [needle * 1000 for _ in range(2000)]
sys.modules['left_behind'] = sys
open('/left', 'wb').write(needle * 1000)
os.mkdir('/tmp/left')
os.chdir('/tmp/left')
os.environ['LEFT'] = 'x'
sys.setrecursionlimit(200000)
random.seed(1)
";

#[tokio::test]
async fn e15_nothing_of_a_run_is_there_in_the_next() {
    for (place, sandbox) in both(ONE).await {
        let leftovers = async || answer(run(&sandbox, LOOK, Limits::default()).await);
        let clean = leftovers().await;
        assert_eq!(clean, "[]", "{place}: before anything");
        for end in [
            "",
            "1 / 0",
            "while True: pass",
            "import time; time.sleep(9)",
            "bytearray(1 << 30)",
            "import os; os._exit(1)",
            "def f(): f()\nimport sys; sys.setrecursionlimit(10**9); f()",
        ] {
            let limits = Limits { fuel: 2_000_000_000, wall_ms: 300, ..Limits::default() };
            run(&sandbox, &format!("{LEAVE}\n{end}"), limits).await.expect("the run is carried through");
            assert_eq!(leftovers().await, "[]", "{place}: after {end:?}");
        }
        let endless = format!("{LEAVE}{CALL_AND_GO_ON}while True: pass");
        drop_after_a_call(&sandbox, &endless, Limits::default()).await;
        assert_eq!(leftovers().await, "[]", "{place}: after a dropped run");
    }
}

#[tokio::test]
async fn e15_nothing_random_repeats() {
    const DRAW: &str = "
import os, random, secrets, tempfile, uuid
random.seed()
result = [random.random(), random.Random().random(), random.SystemRandom().random(), os.urandom(8).hex(),
          secrets.token_hex(8), str(uuid.uuid4()), tempfile.mktemp(), random.Random(None).getrandbits(64)]
";
    for (place, sandbox) in both(ROOMY).await {
        let mut seen = HashSet::new();
        for _ in 0..50 {
            let drawn = answer(run(&sandbox, DRAW, Limits::default()).await);
            let drawn: Vec<serde_json::Value> = serde_json::from_str(&drawn).expect("a list");
            assert_eq!(drawn.len(), 8);
            for (index, value) in drawn.iter().enumerate() {
                assert!(seen.insert((index, value.to_string())), "{place}: draw {index} gave {value} twice");
            }
        }
        let without_seed = "import random\n[random.random(), random.getrandbits(64)]";
        let first = answer(run(&sandbox, without_seed, Limits::default()).await);
        assert_ne!(first, answer(run(&sandbox, without_seed, Limits::default()).await), "{place}");
    }
}

#[tokio::test]
async fn time_is_now_and_comes_in_coarse_steps() {
    const LOOK: &str = "
import time
steps = {time.perf_counter_ns() % 100_000 for _ in range(2000)} | {time.time_ns() % 100_000 for _ in range(2000)}
result = [time.time_ns() // 1_000_000, steps == {0}]
";
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_millis();
    for (place, sandbox) in both(ROOMY).await {
        let before = now();
        let looked = answer(run(&sandbox, LOOK, Limits::default()).await);
        let (time, coarse): (u128, bool) = serde_json::from_str(&looked).expect("a pair");
        assert!(coarse, "{place}: {looked}");
        assert!(
            (before..=now()).contains(&(time + 1)) || (before..=now()).contains(&time),
            "{place}: {time} after {before}"
        );
    }
}

#[tokio::test]
async fn a_deterministic_run_repeats_byte_for_byte() {
    const ALL: &str = "
import asyncio, datetime, os, random, tempfile, time, uuid
print(time.time(), datetime.datetime.now(), time.perf_counter())
time.sleep(3600)
asyncio.run(asyncio.sleep(5))
with tempfile.NamedTemporaryFile() as file:
    print(file.name, id(file) % 7)
print(os.stat('/tmp').st_mtime, hash('x'), {object() for _ in range(3)})
result = [random.random(), str(uuid.uuid4()), os.urandom(4).hex(), time.time() > 3600]
";
    for (place, sandbox) in both(ROOMY).await {
        let script = script(ALL);
        let go = async |seed, unix_ns| {
            let deterministic = Some(Deterministic { seed, unix_ns });
            let job = Job { deterministic, ..Job::new(&script, "{}") };
            let ended = sandbox.run(job, Arc::new(NoCalls)).await.expect("the run is carried through");
            let Ending::Returned(json) = ended.ending else { panic!("{place}: {:?}", ended.ending) };
            (json.get().to_owned(), ended.stdout.text, ended.spent.fuel)
        };
        let first = go(7, 1_000_000_000).await;
        assert_eq!(first, go(7, 1_000_000_000).await, "{place}");
        assert!(first.1.starts_with("1.0"), "{place}: {}", first.1);
        assert_ne!(first.0, go(8, 1_000_000_000).await.0, "{place}: another seed");
        assert_ne!(first.1, go(7, 2_000_000_000).await.1, "{place}: another time");
    }
}
