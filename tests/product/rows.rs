//! The rows of the threat model, and which tests cover them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::read_to_string;
use std::path::Path;

use crate::tree;

/// Every row: what a script runs out of (G), how it tries to get out (E), what becomes of its requests and of their
/// replies (H), what could show a secret (S), how a value could become code (T), what an MCP client can do (C), what an
/// upstream MCP server can do (M), what a client of the HTTP API can do (A), what can happen to what is kept (D), and what
/// comes of many at once (N).
const ROWS: &[(&str, &str)] = &[
    ("G01", "loops without an end"),
    ("G02", "code that starts again when it is stopped: handlers, `finally`, finalizers, hooks"),
    ("G03", "loops inside one native call, without any bytecode"),
    ("G04", "arithmetic on enormous numbers, and their digits"),
    ("G05", "regular expressions that backtrack for ever"),
    ("G06", "callbacks that change the container they are called from, and colliding hashes"),
    ("G07", "waiting: sleeps, locks, queues, polls"),
    ("G08", "host calls by the million, each of them cheap"),
    ("G09", "memory, little by little"),
    ("G10", "memory, in one piece"),
    ("G11", "going on at the ceiling of memory"),
    ("G12", "small values that are huge once written out"),
    ("G13", "compressed bombs, buffers nobody reads, objects that come back"),
    ("G14", "recursion in Python"),
    ("G15", "recursion in native code, through deep data"),
    ("G16", "deep and wide source"),
    ("G17", "scripts of any size and encoding"),
    ("G18", "floods of output"),
    ("G19", "answers that are too large or cannot be said"),
    ("G20", "files without end: how many, how long, how sparse"),
    ("E01", "modules that reach the machine: processes, sockets, native libraries"),
    ("E02", "walking from any object to any other"),
    ("E03", "frames, tracebacks and what exceptions carry"),
    ("E04", "files of the host by every way to open one"),
    ("E05", "paths that lead elsewhere: dots, slashes, links, renames"),
    ("E06", "what the environment tells: variables, arguments, names, versions"),
    ("E07", "system calls, signals and crashes on purpose"),
    ("E08", "exits that look like success, and what runs at the exit"),
    ("E09", "threads, signals, timers and tasks that outlive the script"),
    ("E10", "tampering with the prelude, and forged answers"),
    ("E11", "bytecode made by hand, and damaged marshal data"),
    ("E12", "places where the interpreter is known to panic"),
    ("E13", "disguised names, pickles and planted modules"),
    ("E14", "the boundary itself: imports called with any numbers, answers with any bytes"),
    ("E15", "what one run leaves to the next: memory, files, randomness, time"),
    ("E16", "another guest in place of the embedded one"),
    ("E17", "listings that run out of descriptors"),
    ("E18", "a worker that was taken over: its parent, and the answers of others"),
    ("H01", "requests without any grant"),
    ("H02", "addresses of the machine, its network and its cloud"),
    ("H03", "other spellings of such addresses"),
    ("H04", "names that resolve to them"),
    ("H05", "URLs that two parsers read differently"),
    ("H06", "hosts that look like a granted one"),
    ("H07", "another port, another scheme"),
    ("H08", "URLs that are no HTTP"),
    ("H09", "line breaks and NUL in any part of a request"),
    ("H10", "headers and methods that belong to the host"),
    ("H11", "requests of any size"),
    ("H12", "redirects: elsewhere, in circles, to nowhere"),
    ("H13", "compressed bombs, encodings within encodings"),
    ("H14", "replies without an end, or without a beginning"),
    ("H15", "headers without an end"),
    ("H16", "replies that contradict themselves, or are none"),
    ("H17", "JSON that is hard to read"),
    ("H18", "requests by the million, and large ones"),
    ("H19", "proxies of the environment"),
    ("H20", "certificates that prove nothing"),
    ("H21", "runs that end in the middle of a request"),
    ("H22", "several tenants of one origin"),
    ("H23", "bodies that the origin reads as requests"),
    ("S01", "templates and parameters that ask for a secret"),
    ("S02", "origins that send it back"),
    ("S03", "text that looks like a place for it"),
    ("S04", "scripts that set the credential themselves"),
    ("S05", "redirects and retries that carry it elsewhere"),
    ("S06", "messages, logs and debug output"),
    ("S07", "files, variables and arguments that others can read"),
    ("S08", "secrets that change or are missing"),
    ("S09", "data that leaves through what is granted"),
    ("S10", "secrets in what is stored"),
    ("T01", "values that try to leave their string"),
    ("T02", "values that are templates themselves"),
    ("T03", "values of another type, size or depth"),
    ("T04", "characters that readers and parsers see differently"),
    ("T05", "templates that work or write without end"),
    ("T06", "templates that use more than a name and a filter"),
    ("T07", "names that are paths"),
    ("T08", "intents with instructions, and names that look alike"),
    ("T09", "scripts that are too large, or no Python"),
    ("T10", "escaping that depends on a file's name"),
    ("C01", "pages of other sites, and names that lead here"),
    ("C02", "versions that do not match, or that nobody knows"),
    ("C03", "messages of any size, depth and shape"),
    ("C04", "methods that there are not, ids used twice, calls by the thousand"),
    ("C05", "clients that cancel or go away"),
    ("C06", "clients that read slowly"),
    ("C07", "results and sessions of somebody else"),
    ("C08", "tokens that are not this server's, or in the wrong place"),
    ("C09", "pipes that close, carry garbage or are never read"),
    ("C10", "messages that cost far more than their bytes"),
    ("C11", "callers who take what others need: slots, memory, what is held for them"),
    ("M01", "upstream servers that hang: at the start, in the handshake, while listing, in a call"),
    ("M02", "upstream servers that end or crash in a call, again and again, and leave children behind"),
    ("M03", "banners, garbage, half messages, messages without an end, bytes that are no text"),
    ("M04", "answers with wrong ids, answers given twice, and answers that nobody asked for"),
    ("M05", "floods on stderr, and servers that do not read"),
    ("M06", "lists of tools that are too long, or have no end"),
    ("M07", "schemas that are huge, deep, circular, exponential or remote"),
    ("M08", "names of tools that are none, or that would become one another"),
    ("M09", "descriptions with instructions, control characters, or of any length"),
    ("M10", "definitions that change after they were approved"),
    ("M11", "tools that have the name of another server's"),
    ("M12", "results of any size, against their schema, or with instructions"),
    ("M13", "servers that ask their client for something, or send notifications without end"),
    ("M14", "servers over HTTP: redirects, challenges, addresses, replies without end"),
    ("M15", "project files that would start programs"),
    ("M16", "calls with names and arguments that no tool has"),
    ("A01", "requests without a token, or with a wrong one, on any path"),
    ("A02", "requests that pages of other sites make a browser send"),
    ("A03", "markup in what pages show: output, intents, labels, errors"),
    ("A04", "terminal escapes in what commands print and logs record"),
    ("A05", "connections that never become a request, and bodies byte by byte"),
    ("A06", "keys that are used twice, also at the same moment"),
    ("A07", "queues without an end, and clients that fill them"),
    ("A08", "pages, cursors, limits and filters that are none"),
    ("A09", "events from places that there are not"),
    ("A10", "paths that lead out of what is served"),
    ("A11", "cancelling what has ended, runs, or is not there"),
    ("D01", "processes that are killed at any moment"),
    ("D02", "a kill between the end of a run and its commit"),
    ("D03", "workers that are killed, hang or are out of memory"),
    ("D04", "jobs that end their worker each time"),
    ("D05", "workers that come back after their lease"),
    ("D06", "disks that are full, at each write"),
    ("D07", "several processes with one file"),
    ("D08", "files that go away while they are used"),
    ("D09", "damaged and torn files, and a log without its index"),
    ("D10", "older and newer versions, and migrations that are cut off"),
    ("D11", "clocks that jump"),
    ("D12", "being told to stop"),
    ("D13", "answers that never reached their client"),
    ("D14", "a loss of power"),
    ("N01", "a thousand submissions at once"),
    ("N02", "hostile scripts beside others, where all seats are taken"),
    ("N03", "more runs than there is room for"),
    ("N04", "thousands of runs, one after another"),
    ("N05", "storms of cancellations"),
    ("N06", "a hundred servers to discover, some twice, some that fail"),
    ("N07", "templates and settings that change while runs go on"),
    ("N09", "faults of this program in the middle of a run"),
    ("N10", "repetitions that multiply"),
];

/// The tests of one row.
#[derive(Default)]
struct Tests {
    scripts: usize,
    functions: Vec<String>,
}

/// `g01` of `g01_while_true`, as `G01`.
fn row(name: &str) -> Option<String> {
    let (row, _) = name.split_once('_')?;
    Some(row.to_uppercase()).filter(|row| ROWS.iter().any(|(known, _)| known == row))
}

fn tests() -> BTreeMap<String, Tests> {
    let mut tests: BTreeMap<String, Tests> = BTreeMap::new();
    for path in tree::paths("tests/attacks").iter().filter(|path| tree::extension(path) == "py") {
        let name = Path::new(path).file_stem().expect("it has a name").to_string_lossy();
        let row = row(&name).unwrap_or_else(|| panic!("{path} belongs to no row"));
        tests.entry(row).or_default().scripts += 1;
    }
    for folder in ["runtime", "guest-sdk", "tests/product"] {
        for source in tree::files(folder, &["rs"]) {
            for name in tree::tests(&source.text) {
                if let Some(row) = row(name) {
                    tests.entry(row).or_default().functions.push(name.to_owned());
                }
            }
        }
    }
    for tests in tests.values_mut() {
        tests.functions.sort();
    }
    tests
}

fn table(tests: &BTreeMap<String, Tests>) -> String {
    let mut text = String::from(
        "# Rows\n\n\
         What may be tried, by rows, and the tests that hold each: G01–G20 (exhaustion) and E01–E18 (escape) by\n\
         scripts, H01–H23 by requests and replies, S01–S10 for secrets, T01–T10 by values and templates,\n\
         C01–C11 by MCP clients, M01–M16 by upstream MCP servers, A01–A11 by clients of the HTTP API, D01–D14 for what is kept,\n\
         N01–N10 for many at once (N08 is about a part that there is not). A\n\
         script is a file of [attacks](attacks/README.md); the rest are Rust tests by their names. The test\n\
         `every_row_has_a_test` writes this file: change `product/rows.rs` or the tests, not this.\n\n\
         | Row | What | Tests |\n|---|---|---|\n",
    );
    for &(row, what) in ROWS {
        let held: Vec<String> = tests.get(row).into_iter().flat_map(by_name).collect();
        let _ = writeln!(text, "| {row} | {what} | {} |", held.join(", "));
    }
    text
}

fn by_name(tests: &Tests) -> Vec<String> {
    let scripts = match tests.scripts {
        0 => None,
        1 => Some("1 script".to_owned()),
        count => Some(format!("{count} scripts")),
    };
    scripts.into_iter().chain(tests.functions.iter().map(|name| format!("`{name}`"))).collect()
}

#[test]
fn every_row_has_a_test() {
    let tests = tests();
    let bare: Vec<_> = ROWS.iter().map(|(row, _)| *row).filter(|row| !tests.contains_key(*row)).collect();
    assert!(bare.is_empty(), "nothing tests {}", bare.join(", "));
    let file = tree::root().join("tests/ROWS.md");
    let (written, expected) = (read_to_string(&file).unwrap_or_default(), table(&tests));
    if written != expected {
        std::fs::write(&file, expected).expect("tests/ROWS.md can be written");
        panic!("tests/ROWS.md was out of date and has been written anew: look at the difference and commit it");
    }
}
