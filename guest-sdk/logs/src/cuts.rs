//! Generates random logs in random pieces for property tests, with shrunk examples of past failures.

use proptest::prelude::*;

use crate::oracle::oracle;

/// What lines of logs are made of, so that random ones look like some format now and then.
const PARTS: &[&str] = &[
    "\n",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "{\"level\":\"error\",\"msg\":\"no \\u00e4 or \\\"b\\\"\",\"ts\":1795000000.5}\n",
    "{\"time\":\"2026-11-18T12:00:00Z\",\"severity\":30,",
    "\"n\":{\"a\":[1,\"}\"]}}\n",
    "level=warn msg=\"for \\\"x\\\"\" ",
    "time=2026-11-19T00:00:00Z\n",
    "<11>",
    "<165>1 2026-11-19T01:02:03.004Z host app 7 id [a@1 b=\"]\"] Error: text\n",
    "Nov 19 01:02:03 host tag[7]: ",
    "10.0.0.1 - - [19/Nov/2026:01:02:03 +0100] \"GET /a?b=1 HTTP/1.1\" ",
    "503 17\n",
    "2026-11-19 01:02:03,004 ERROR worker: Ä or ä\n",
    "2026-02-30 01:02:03 ",
    "[ERROR] ",
    "E1119 01:02:03.000004   17 a.go:1] ",
    "Traceback (most recent call last):\n  File \"a.py\", line 1\nOSError: or\n",
    "During handling of the above exception, another exception occurred:\n",
    "panic: or\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:1\n",
    "Caused by: java.io.IOException\n\tat a.B.c(B.java:1)\n",
    "{\"MESSAGE\":[79,114,27,91,109],\"PRIORITY\":\"3\",\"__REALTIME_TIMESTAMP\":\"1795000000000000\"}\n",
    "__CURSOR=s=1\n",
    "__REALTIME_TIMESTAMP=1795000000000000\nPRIORITY=3\n",
    "MESSAGE=for\n",
    "MESSAGE\n\u{c}\0\0\0\0\0\0\0one\n\n[ERROR]\n\n",
    "SYSLOG_IDENTIFIER\n\u{3}\0\0\0\0\0\0\0",
    "MESSAGE\nor\u{1b}[m\n\n",
    "2026-11-19T01:02:03.000000004Z stdout F ",
    "2026-11-19T01:02:03.000000004Z stdout P [ERROR] or",
    "2026-11-19T01:02:03.000000004Z stderr P {\"level\":\n",
    "2026-11-19T01:02:03.000000004Z stderr F \"error\"}\n",
    "\u{1b}[31m",
    "\u{1b}]8;;x",
    "1795000000.5 ERROR or\n",
    "10:00:00.123 [main] ERROR c.e.App - or\n",
    "thread 'main' panicked at src/main.rs:10:5:\n",
    "note: run with\n",
    "2026-11-19 01:02:03.004 UTC [1] STATEMENT:  or\n",
    "\u{feff}",
    "ä",
    "}",
    "=",
    "\"",
    "[",
];

fn logs() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        8 => proptest::sample::select(PARTS).prop_map(|part| part.as_bytes().to_vec()),
        2 => proptest::collection::vec(any::<u8>(), 0..8),
        1 => (any::<u8>(), 0..70_000_usize).prop_map(|(byte, length)| vec![byte; length]),
    ];
    proptest::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn any_cuts_of_any_logs_give_the_same_answer(choices in any::<[u8; 4]>(), logs in logs()) {
        // A single byte a piece, of megabytes, would be all the time there is.
        let size = if logs.len() > 20_000 { choices[2] | 64 } else { choices[2] };
        let mut bytes = vec![choices[0], choices[1], size, choices[3]];
        bytes.extend(logs);
        oracle(&bytes);
    }
}
