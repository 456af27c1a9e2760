//! The logs are what the summary says, and the parser finds just that.

use std::io::Read;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use flate2::read::GzDecoder;
use intentbox_demo_logs::{BYTES_MAX, Plan, SPAN_S_MAX, Summary, generate};
use intentbox_logs::{Answer, By, Levels, Query, Scan, Want};

/// 2026-11-20T12:00:00Z.
const NOW_UNIX_S: i64 = 1_795_176_000;

const PLAN: Plan = Plan { seed: 7, bytes: 2 << 20, now_unix_s: NOW_UNIX_S, span_s: 86_400 };

/// The logs of a plan: what was written, and the files with their text.
fn written(plan: &Plan) -> (Summary, Vec<(String, Vec<u8>)>) {
    let folder = tempfile::tempdir().unwrap();
    let directory = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
    let summary = generate(&directory, plan).unwrap();
    let read = |path: &str| {
        let mut text = directory.read(path).unwrap();
        if Path::new(path).extension().is_some_and(|extension| extension == "gz") {
            let mut decompressed = Vec::new();
            GzDecoder::new(&*text).read_to_end(&mut decompressed).unwrap();
            text = decompressed;
        }
        (path.to_owned(), text)
    };
    let files = summary.files.iter().map(|file| read(&file.path)).collect();
    (summary, files)
}

fn ask(files: &[(String, Vec<u8>)], query: Query) -> Answer {
    let mut scan = Scan::new(query).unwrap();
    for (name, text) in files {
        scan.begin_file(name);
        // A prime, so that pieces end anywhere.
        for piece in text.chunks(65_537) {
            scan.feed(piece);
        }
        scan.end_of_file();
    }
    scan.answer()
}

#[test]
fn the_parser_finds_what_was_written() {
    let (summary, files) = written(&PLAN);
    assert_eq!(files.len(), 15);
    assert!((2 << 20..3 << 20).contains(&summary.bytes), "{}", summary.bytes);

    let by_level = ask(&files, Query::new(Want::Counts { by: By::Level }));
    let mut found = by_level.counts.unwrap();
    found.sort();
    let levels: Vec<(String, u64)> =
        summary.levels.iter().map(|(level, count)| ((*level).to_owned(), *count)).collect();
    assert_eq!(found, levels);
    let seen = by_level.seen;
    assert_eq!((seen.files, seen.records, seen.lines, seen.bytes), (15, summary.records, summary.lines, summary.bytes));
    assert_eq!((seen.unparsed, seen.cut), (0, 0));

    let by_file = ask(&files, Query::new(Want::Counts { by: By::File })).counts.unwrap();
    let expected: Vec<(String, u64)> = summary.files.iter().map(|file| (file.path.clone(), file.records)).collect();
    assert_eq!(by_file, expected);

    let top = ask(&files, Query::new(Want::Top { limit: 1_000 })).top.unwrap();
    assert!(top.exact);
    let mut found: Vec<_> = top.top.iter().map(|one| (one.count, one.level.name(), one.message.as_str())).collect();
    assert_eq!(found.len(), summary.messages.len());
    for message in &summary.messages {
        let same = |(count, level, text): &(u64, &str, &str)| {
            (*count, *level) == (message.count, message.level) && text.starts_with(message.starts)
        };
        let index = found.iter().position(same).unwrap_or_else(|| panic!("{message:?} is not among {found:?}"));
        found.swap_remove(index);
    }
}

#[test]
fn records_lie_within_the_span() {
    let (summary, files) = written(&PLAN);
    let mut query = Query::new(Want::Counts { by: By::Hour });
    query.levels = Levels::Any;
    query.since_ms = Some((NOW_UNIX_S - 86_400) * 1_000);
    query.until_ms = Some(NOW_UNIX_S * 1_000);
    let hours = ask(&files, query).counts.unwrap();
    assert_eq!(hours.len(), 24, "{hours:?}");
    assert_eq!(hours.iter().map(|(_, count)| count).sum::<u64>(), summary.records);
}

#[test]
fn equal_plans_write_equal_logs() {
    assert_eq!(written(&PLAN), written(&PLAN));
    assert_ne!(written(&PLAN).1, written(&Plan { seed: 8, ..PLAN }).1);
}

#[test]
fn plans_have_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
    let small = Plan { bytes: 0, ..PLAN };
    assert_eq!(generate(&directory, &small).unwrap().records, 0);
    assert!(generate(&directory, &Plan { span_s: SPAN_S_MAX, ..small }).is_ok());
    for plan in [
        Plan { bytes: BYTES_MAX + 1, ..PLAN },
        Plan { span_s: SPAN_S_MAX + 1, ..small },
        Plan { now_unix_s: i64::MAX, ..small },
        Plan { now_unix_s: 1 << 50, bytes: 15, ..small },
    ] {
        let error = generate(&directory, &plan).expect_err("it is out of bounds");
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}");
    }
}
