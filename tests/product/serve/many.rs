//! Many runs, one after another and beside hostile ones: what is left of them, and what becomes of the others.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::tree;

/// How many clients ask at the same time, and for how many seats.
const CLIENTS: usize = 8;
const SEATS: &str = "2";

/// Of the scripts in `tests/attacks`, every so many take part. All of them take minutes.
const ATTACKS_STEP: usize = 6;

fn run(server: &Server, request: &Value) -> (u16, Value) {
    let reply = send(server, "POST /v1/run", &[], &request.to_string());
    (reply.status, of(&reply))
}

/// Does every piece of work once, by as many clients at a time as there are.
fn side_by_side(pieces: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                loop {
                    let piece = next.fetch_add(1, Ordering::Relaxed);
                    if piece >= pieces {
                        break;
                    }
                    work(piece);
                }
            });
        }
    });
}

#[test]
fn n02_every_second_script_is_hostile_and_every_other_gets_its_answer() {
    let listed = std::fs::read_dir(tree::root().join("tests/attacks")).expect("it is listed");
    let mut attacks: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    attacks.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    attacks.sort();
    let attacks: Vec<String> = attacks
        .iter()
        .step_by(ATTACKS_STEP)
        .map(|path| String::from_utf8_lossy(&std::fs::read(path).expect("it is readable")).into_owned())
        .collect();
    assert!(attacks.len() > 50, "{} attacks take part", attacks.len());
    let server = start(&["--slots", SEATS]);
    side_by_side(2 * attacks.len(), |piece| {
        if piece % 2 == 0 {
            let limits = json!({"fuel": 500_000_000, "wall_ms": 2_000});
            let (_, report) = run(&server, &json!({"code": attacks[piece / 2], "limits": limits}));
            assert_ne!(report["outcome"], "internal", "{report}");
        } else {
            let (status, report) = run(&server, &json!({"code": format!("sum(range({piece}))")}));
            let sum = piece * (piece - 1) / 2;
            assert_eq!((status, &report["outcome"], &report["result"]), (200, &json!("ok"), &json!(sum)), "{report}");
        }
    });
}

/// What a server and its workers hold.
#[derive(Debug)]
struct Held {
    resident_kib: u64,
    threads: u64,
    descriptors: usize,
    processes: usize,
}

impl Held {
    fn by(server: &Server) -> Self {
        let mut held = Self { resident_kib: 0, threads: 0, descriptors: 0, processes: 0 };
        let mut left = vec![server.child.id()];
        while let Some(process) = left.pop() {
            let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
            let number = |name: &str| -> u64 {
                let line = status.lines().find_map(|line| line.strip_prefix(name));
                line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse().ok()).unwrap_or(0)
            };
            held.resident_kib += number("VmRSS:");
            held.threads += number("Threads:");
            held.descriptors += std::fs::read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count);
            held.processes += 1;
            for task in std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
                let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
                left.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
            }
        }
        held
    }
}

/// `tests/serve/soak.py` does the same for a hundred thousand runs.
#[test]
fn n04_thousands_of_runs_leave_nothing_behind() {
    let server = start(&["--slots", SEATS]);
    let many = || {
        side_by_side(2_000, |piece| {
            // One in eight fails, one in eight prints, and one in eight is out of fuel.
            let code = match piece % 8 {
                0 => "1 / 0",
                1 => "print('x' * 1000)",
                2 => ENDLESS,
                _ => "result = list(range(100))",
            };
            let (status, report) = run(&server, &json!({"code": code, "limits": {"fuel": 20_000_000}}));
            assert!(status < 500 || report["outcome"] == "fuel_exhausted", "{status} {report}");
        });
    };
    many();
    let before = Held::by(&server);
    many();
    let after = Held::by(&server);
    let is_flat = after.processes <= before.processes
        && after.descriptors <= before.descriptors + 8
        && after.threads <= before.threads + 4
        && after.resident_kib <= before.resident_kib + 24 * 1024;
    assert!(is_flat, "before: {before:?}, after: {after:?}");
}
