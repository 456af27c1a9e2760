"""Writes log files in many formats with questions to them, and checks the answers against what the files were made of.

    python3 oracle.py write FOLDER COUNT     files `N.log`, and `N.queries.json` for each
    python3 oracle.py check FOLDER           compares `N.answers.json` with the records that were written

A file is made record by record. Each writes its lines and notes its level, time and message, so nothing here reads a log.
"""

import json
import pathlib
import random
import sys
from datetime import datetime, timedelta, timezone

NOW = datetime(2026, 11, 20, 12, tzinfo=timezone.utc)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

# The bounds that the crate documents.
LINE_BYTES_MAX, RECORD_BYTES_MAX, ENDING_BYTES_MAX, RECORD_LINES_MAX = 64 << 10, 16 << 10, 1 << 10, 200
SPACE = " \t\n\r\x0c"

# `CONFIG` of java.util.logging is left out: in upper case it is more often a word of the message.
WORDS = {
    "fatal": ["FATAL", "CRITICAL", "CRIT", "ALERT", "EMERG", "EMERGENCY", "PANIC", "FTL"],
    "error": ["ERROR", "ERROR", "ERR", "SEVERE"],
    "warning": ["WARNING", "WARN", "WRN"],
    "info": ["INFO", "INFO", "INFORMATION", "INFORMATIONAL", "NOTICE", "LOG", "INF"],
    "debug": ["DEBUG", "DBG", "FINE"],
    "trace": ["TRACE", "VERBOSE", "FINER", "FINEST", "TRC", "VRB"],
}
LEVELS = [*WORDS, "unknown"]
SEVERITIES = ["fatal", "fatal", "fatal", "error", "warning", "info", "info", "debug"]

# Behind a level, anything is text.
TEXTS = [
    "no route to host", "kestrel: down", "an ERROR of kestrel", "WARN is a word", "level=info msg=inside a=1",
    '{"level":"debug","msg":"inside"}', "a: b: c", "Łódź and Côte d’Ivoire", "日本語のログ 🦅", "[error] in brackets",
    "x = 5; y => 'z'", '"quoted \\" text"', "took 12 ms | 5 rows", "2026-11-20 09:58:12 is a time", "tab\tin kestrel",
    "-5 degrees", "--force is unknown", "ends in spaces   ", "DETAIL:  of a kestrel", "(in parentheses)", "x", "<b>bold</b>",
    "key=\"a b\" other=kestrel", "caf\u00e9 \u00fc\u00df", "at 10.0.0.1:8080, user 'bob'", "100 % of it", "back\\slash\\n",
]
# Without a level, the crate looks for one in the first words, so that these hold no word that names one. A sign with two
# digits behind a time would be its offset from UTC, and a word with two spaces after a colon an addition of PostgreSQL.
CALM = [
    "no route to host", "kestrel: down", "a: b: c", "Łódź and Côte d’Ivoire", "日本語のログ 🦅", "x = 5; y => 'z'",
    "took 12 ms | 5 rows", "tab\tin kestrel", "ends in spaces   ", "x", "Listening on 0.0.0.0:80", "(in parentheses)",
    "ERROR_CODE of kestrel", "terror and warnings", "he said \"so\"", "key-value: a=1, b=2",
]
# A line that is no record of its own behind a record of text. One that holds a time, a level, pairs or a whole object of
# JSON would be a record, and so is left out.
STRAYS = ["and more of kestrel", "SELECT * FROM kestrels", "Łódź", "{", "+---+---+", "terror: no level", "x", "# a comment"]
INDENTED = ["  indented", "\tat a tab", "    2026-11-20 09:58:12 ERROR is indented", "  ", ' "level": "error",', "\t[INFO] no"]
NAMES = ["app.db", "com.example.App", "uvicorn.access", "a.b.C$D", "worker", "sshd"]
THREADS = ["main", "http-nio-8080-exec-1", "pool-3-thread-12", "MainThread", "worker_2"]
CODES = ["\x1b[31m", "\x1b[0m", "\x1b[1;38;5;9m", "\x1b[2m", "\x1b[K", "\x1b(B", "\x1b]8;;http://a/b\x1b\\", "\x1b]8;;\x07"]

JAVA = [
    "java.lang.IllegalStateException: outer", "\tat a.B.c(B.java:1)", "\tSuppressed: a.X: x", "\t\t... 2 more",
    "Caused by: java.io.IOException: middle", "\tat a.B.d(B.java:2)", "\t... 12 more",
    "Caused by: java.net.ConnectException: refused", "\t... 13 more",
]
PYTHON = ["Traceback (most recent call last):", '  File "a.py", line 1, in f', "    g()", "    ^^^", "KeyError: 'a'"]
DURING = ["", "During handling of the above exception, another exception occurred:", ""]
CAUSE = ["", "The above exception was the direct cause of the following exception:", ""]
GO = ["panic: no map", "", "goroutine 1 [running]:", "main.main()", "\t/a.go:1 +0x1", "exit status 2"]
TRACES = [
    ("error", JAVA), ("error", ['Exception in thread "main" ' + JAVA[0], *JAVA[1:]]), ("error", PYTHON),
    ("error", PYTHON + DURING + PYTHON), ("error", PYTHON + CAUSE + PYTHON), ("fatal", GO),
    ("error", ["TypeError: a is undefined", "    at f (a.js:1:2)", "    at g (a.js:2:2)"]),
    ("error", ["Uncaught ReferenceError: a is not defined", "    at a.js:1:1"]),
    ("error", ["error: cannot find it"]), ("error", ["Error: kestrel"]),
]
NOTE = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"
RUST = [
    ["thread 'main' panicked at src/main.rs:10:5:", "index out of bounds: the len is 3", NOTE],
    ["thread 'main' panicked at 'no', src/main.rs:2:5", NOTE],
    ["thread 'w' (4711) panicked at a.rs:3:5:", "assertion `left == right` failed", "  left: 1", " right: 2", NOTE],
    ["thread 'main' panicked at a.rs:3:5:", "[ERROR] is text", "stack backtrace:", "   0: begin", "             at /b.rs:6:5", NOTE],
]


class Log:
    """A log file that is written, with the truth about it."""

    def __init__(self, choose):
        self.choose = choose
        self.end = choose.choice(["\n", "\n", "\n", "\r\n"])
        self.coloured = choose.random() < 0.15
        self.content = b"\xef\xbb\xbf" if choose.random() < 0.1 else b""
        self.line_count = 0
        self.records = []
        # The record that lines may go on with.
        self.open = None
        # A container runtime writes it, at this time.
        self.runtime = None
        self.clock = NOW - timedelta(days=choose.randrange(1, 360), milliseconds=choose.randrange(86_400_000))

    def text(self):
        """What a record says behind its level."""
        text = self.choose.choice(TEXTS)
        return text + " " + self.choose.choice(CALM) if self.choose.random() < 0.3 else text

    def level(self):
        return self.choose.choice(list(WORDS))

    def tick(self):
        """The next moment, mostly later than the one before, with nanoseconds."""
        gap = self.choose.choice([0, 1, 250, 60_000, 3_600_000, -5_000])
        self.clock = min(self.clock + timedelta(milliseconds=gap, microseconds=self.choose.randrange(10**6)),
                         NOW + timedelta(hours=20))
        return self.clock

    def put(self, line):
        """Writes one line, in colours when the file has them."""
        if self.coloured and self.choose.random() < 0.7:
            for _ in range(self.choose.randrange(1, 5)):
                at = self.choose.randrange(len(line) + 1) if len(line) < 9_000 else 0
                # Not inside of another code.
                if "\x1b" not in line or at == 0:
                    line = line[:at] + self.choose.choice(CODES) + line[at:]
        data = line.encode(errors="surrogateescape")
        if self.runtime is None:
            self.content += data + self.end.encode()
            self.line_count += 1
            return
        stream = self.choose.choice(["stdout", "stderr"])
        parts = [data]
        if self.choose.random() < 0.2:
            at = self.choose.randrange(len(data) + 1)
            parts = [data[:at], data[at:]]
        for number, part in enumerate(parts):
            tag = b"F" if number == len(parts) - 1 else b"P"
            time = self.runtime + timedelta(milliseconds=number)
            nanoseconds = time.strftime("%Y-%m-%dT%H:%M:%S.%f") + "789Z"
            self.content += b" ".join([nanoseconds.encode(), stream.encode(), tag, part]) + self.end.encode()
            self.line_count += 1

    def raw(self, data):
        """Writes what is not lines of text."""
        self.content += data
        self.line_count += data.count(b"\n")

    def record(self, lines, level, time, first, fields=None, kind="text"):
        """A record of these lines, whose first says `first`. Kinds: only to `text` do other lines belong by themselves, `own`
        lines are known to be a record, `stray` ones are not."""
        number = self.line_count + 1
        if self.runtime is not None:
            self.runtime = self.runtime + timedelta(seconds=self.choose.choice([0, 0, 3]), milliseconds=3)
            time = milliseconds(self.runtime) if time is None else time
        for line in lines:
            self.put(line)
        self.open = {
            "lines": list(lines), "level": level, "time": time, "first": first, "line": number, "fields": fields or {}, "kind": kind,
        }
        self.records.append(self.open)

    def go_on(self, lines, level="unknown"):
        """Lines that belong to the record before them."""
        for line in lines:
            self.put(line)
        self.open["lines"] += lines
        # What a traceback says is the level of a record without one.
        if self.open["level"] == "unknown" and level in ("error", "fatal"):
            self.open["level"] = level

    def stray(self, lines, level="unknown"):
        """Lines without a time or a level in front."""
        if self.open is not None and self.open["kind"] == "text":
            self.go_on(lines, level)
        else:
            self.record(lines, level, None, lines[0], kind="stray")

    def blank(self):
        line = self.choose.choice(["", "", "", "  ", "\t"])
        if self.open is None:
            self.put(line)
        else:
            self.go_on([line])


def milliseconds(time):
    return (time - EPOCH) // timedelta(milliseconds=1)


def moment(log, zones=True):
    """A time as it is written, and its milliseconds."""
    choose, time = log.choose, log.tick()
    digits = choose.choice([0, 3, 3, 6, 9])
    nanoseconds = f"{time.microsecond * 1000 + choose.randrange(1000):09}"[:digits]
    offset, written = choose.choice([
        (0, ""), (0, ""), (0, "Z"), (0, "z"), (60, "+01:00"), (-210, "-0330"), (330, "+05:30"), (0, "+00:00"), (120, "+02"), (0, " UTC"),
        (0, " GMT"), (60, " +0100"), (-480, " -08:00"),
    ]) if zones else (0, "")
    date = choose.choice(["%Y-%m-%d", "%Y-%m-%d", "%Y/%m/%d"])
    local = time + timedelta(minutes=offset)
    text = local.strftime(date + choose.choice("T  ") + "%H:%M:%S")
    if digits:
        text += choose.choice(".,") + nanoseconds
    return text + written, milliseconds(time.replace(microsecond=int((nanoseconds[:3] or "0").ljust(3, "0")) * 1000))


def seconds(time):
    return milliseconds(time.replace(microsecond=0))


def spelled(choose, level, anyhow):
    """A word for a level. In lower case it counts behind the time and in brackets only."""
    word = choose.choice(WORDS[level])
    return choose.choice([word, word.lower(), word.title()]) if anyhow else word


# As (pattern, whether levels may be in any case, what the message has before its text).
DATED = [
    ("{t} {L} {m}", True, ""), ("{t} [{L}] {m}", True, ""), ("{t} {L}: {m}", True, ""), ("{t} {L:<13} {m}", True, ""),
    ("{t} - {n} - {L} - {m}", False, ""), ("{t} | {L} | {m}", True, ""), ("{t}|{L}|{m}", True, ""), ("{t} <{L}> {m}", True, ""),
    ("{t} ({L}) {m}", True, ""), ("{t} [{h}] {L:<5} {n} - {m}", False, "{n} - "), ("{t} {L:<5} [{h}] {n} - {m}", False, "[{h}] {n} - "),
    ("[{t}] {n}.{L}: {m}", False, ""), ("{t}\t{L}\t{n}\t{m}", True, "{n}\t"), ("{t} {p} {L} {m}", False, ""), ("[{t}] [{L}] {m}", True, ""),
    ("[{t}][{L}] {m}", True, ""), ("({t}) {L} {m}", True, ""), ("{t} [{p}] [{L}] {m}", True, ""), ("{t} host {n}[{p}]: {L}: {m}", False, ""),
    ("{t}  {L} {p} --- [{h:>15}] {n} : {m}", False, "{p} --- [{h:>15}] {n} : "), ("{t} [{L:<5}] {m}", False, ""), ("{t}: {L}: {m}", True, ""),
    ("{t} {h}/{p} [{L}] {n}: {m}", True, "{n}: "), ("{t},{L},{m}", False, ""),
]
UNDATED = [
    ("[{L}] {m}", True, ""), ("{L}: {m}", False, ""), ("{L} {m}", False, ""), ("{L}:{n}:{m}", False, "{n}:"), ("<{L}> {m}", True, ""),
    ("({L}) {m}", True, ""), ("{L} - {m}", False, ""), ("[{L}] [{h}] {m}", True, "[{h}] "),
]


def said(log, patterns, time, before=""):
    """A line with a level, and its level and message."""
    pattern, anyhow, prefix = log.choose.choice(patterns)
    level = log.level()
    parts = {"t": time, "L": spelled(log.choose, level, anyhow), "n": log.choose.choice(NAMES), "h": log.choose.choice(THREADS),
             "p": log.choose.randrange(1, 99_999), "m": log.text()}
    return before + pattern.format(**parts), level, prefix.format(**parts) + parts["m"]


def of_text(log):
    text, time = moment(log)
    line, level, first = said(log, DATED, text)
    log.record([line], level, time, first)


def of_text_without_level(log):
    text, time = moment(log)
    first = log.choose.choice(CALM)
    pattern = log.choose.choice(["{} {}", "[{}] {}", "{}: {}", "{}\t{}", "{} - {}", "{} | {}"])
    log.record([pattern.format(text, first)], "unknown", time, first)


def of_text_without_time(log):
    line, level, first = said(log, UNDATED, "")
    log.record([line], level, None, first)


def of_day(log):
    # The day is not known. Only the runtime's time makes the time of day in front superfluous.
    time = log.tick()
    written = time.strftime("%H:%M:%S") + log.choose.choice(["", ".123", ",123"])
    line, level, first = said(log, [one for one in DATED if one[0].startswith(("{t} ", "[{t}] "))], written)
    log.record([line], level, None, line if log.runtime is None else first)


def of_epoch(log):
    time = log.tick()
    written, ms = log.choose.choice([
        (str(seconds(time) // 1000), seconds(time)), (str(milliseconds(time)), milliseconds(time)),
        (f"{seconds(time) // 1000}.{time.microsecond:06}", milliseconds(time)),
        (f"{seconds(time) // 1000}.{time.microsecond // 1000:03}", milliseconds(time)),
    ])
    # A comma, a colon or a bar behind digits makes them no time.
    line, level, first = said(log, [one for one in DATED if one[0].startswith(("{t} ", "[{t}]", "({t})", "{t}\t"))], written)
    log.record([line], level, ms, first)


def of_asctime(log):
    time = log.tick()
    line, level, first = said(log, [("[{t}] [{n}:{L}] [pid {p}] {m}", True, "[pid {p}] "), ("{t} {L} {m}", True, "")],
                              time.strftime("%a %b %e %H:%M:%S.%f %Y"))
    log.record([line], level, milliseconds(time), first)


def of_nginx_error(log):
    time, level = log.tick(), log.choose.choice(["fatal", "error", "warning", "info", "debug"])
    word = {"fatal": log.choose.choice(["emerg", "alert", "crit"]), "warning": "warn", "info": log.choose.choice(["notice", "info"])}
    first = f"{log.choose.randrange(1, 99)}#0: *{log.choose.randrange(99)} {log.text()}, client: 10.0.0.1, server: _"
    line = f"{time.strftime('%Y/%m/%d %H:%M:%S')} [{word.get(level, level)}] {first}"
    log.record([line], level, seconds(time), first)


def of_access(log):
    choose, time = log.choose, log.tick()
    minutes, offset = choose.choice([(0, "+0000"), (60, "+0100"), (-210, "-0330")])
    written = (time + timedelta(minutes=minutes)).strftime("%d/%b/%Y:%H:%M:%S ") + offset
    client = choose.choice(["10.0.0.1", "::1", "2001:db8::17", "fe80::1", "host.example", "Host"])
    status = choose.choice([200, 204, 301, 399, 400, 404, 499, 500, 503, 599, 101])
    # Apache writes a quote as `\"`, nginx as `\x22`.
    request = choose.choice(["GET / HTTP/1.1", "POST /kestrel?a=1&b=[2] HTTP/2.0", r"\x16\x03\x01", "-", "", "GET /\u00fc HTTP/1.0", "GET /old",
                             r"GET /a\"b HTTP/1.1", r"GET /a\x22b HTTP/1.1", r"GET /a\\ HTTP/1.1"])
    tail = choose.choice(["", ' "-" "curl/8.0 [x]"', ' "http://a/" "Mozilla/5.0 (X11) ERROR" 0.003'])
    user = choose.choice(["-", "bob", "Jane Doe"])
    line = f'{client} - {user} [{written}] "{request}" {status} {choose.choice(["-", "17"])}{tail}'
    words = request.split(" ")[:2]
    level = "error" if status >= 500 else "warning" if status >= 400 else "info"
    fields = {"client": client, **dict(zip(("method", "path"), words)), "status": status}
    log.record([line], level, seconds(time), " ".join([str(status), *words]), fields, "access")


def of_json(log):
    choose, time = log.choose, log.tick()
    level = choose.choice(LEVELS)
    letters = {"fatal": "F", "error": "E", "warning": "W", "info": "I", "debug": "D", "trace": "T"}
    members, ms = [], None
    if level == "unknown":
        members += choose.choice([[], [("level", None)], [("severity", "other")]])
    else:
        word = spelled(choose, level, True)
        numbers = {"trace": 10, "debug": 20, "info": 30, "warning": 40, "error": 50, "fatal": 60}
        value = choose.choice([word, word, word, letters[level], numbers[level]])
        syslog = [number for number, name in enumerate(SEVERITIES) if name == level]
        if syslog and choose.random() < 0.1:
            value = choose.choice(syslog)
        name = choose.choice(["level", "severity", "lvl", "log.level", "loglevel", "log_level", "levelname", "level_name", "severity_text",
                              "severityText", "@level", "@l", "Level", "LEVEL"])
        members.append(choose.choice([(name, value), (name, value), ("log", {"level": word, "logger": "a"})]))
    if choose.random() < 0.8:
        text, ms = moment(log)
        microseconds = (time - EPOCH) // timedelta(microseconds=1)
        text, ms = choose.choice([
            (text, ms), (text, ms), (seconds(time) // 1000, seconds(time)), (milliseconds(time), milliseconds(time)),
            (microseconds, milliseconds(time)), (microseconds * 1000 + 1, milliseconds(time)), (str(milliseconds(time)), milliseconds(time)),
            (seconds(time) // 1000 + 0.5, seconds(time) + 500),
        ])
        members.append((choose.choice(["time", "ts", "timestamp", "@timestamp", "@t", "datetime", "asctime", "Timestamp", "Time"]), text))
    first = log.text() + choose.choice(["", "", "", "\nsecond line\n\tthird", "\r\nkestrel"])
    said = choose.random() < 0.9
    if said:
        members.append((choose.choice(["msg", "message", "@message", "@m", "short_message", "body", "textPayload", "Message", "event"]), first))
    fields = dict(choose.sample([("service", "api"), ("n", 17), ("ratio", 0.25), ("ok", True), ("none", None), ("tags", ["a", {"b": "}"}]),
                                 ("nested", {"level": "error", "msg": "no"}), ("user", "Łódź \"x\"\\"), ("empty", "")], choose.randrange(6)))
    members += fields.items()
    choose.shuffle(members)
    separators = choose.choice([(",", ":"), (", ", ": ")])
    # A name that comes twice would be a question of its own.
    line = json.dumps(dict(members), ensure_ascii=choose.random() < 0.5, separators=separators)
    if not members:
        line, fields = '{"a":1}', {"a": 1}
    if not said:
        first = line
    log.record([line], level, ms, first, fields, "own")


def of_docker(log):
    """What Docker's `json-file` writes: the line of a program as text, which may be JSON or logfmt again."""
    choose, time = log.choose, log.tick()
    line, level, _ = said(log, UNDATED, "")
    word = spelled(choose, level, True)
    line = choose.choice([line, json.dumps({"msg": "a \"b\"", "level": word}), f'msg="a b" n=1 level={word}', f"\x1b[31m{line}\x1b[0m"])
    written = time.strftime("%Y-%m-%dT%H:%M:%S.%f") + "789Z"
    text = json.dumps({"log": line + "\n", "stream": "stdout", "time": written}, ensure_ascii=choose.random() < 0.5, separators=(",", ":"))
    log.record([text], level, milliseconds(time), line.replace("\x1b[31m", "").replace("\x1b[0m", "") + "\n", {"stream": "stdout"}, "own")


def quoted(choose, text):
    plain = text and not any(sign in text for sign in ' "=\\\t\n')
    return text if plain and choose.random() < 0.7 else json.dumps(text, ensure_ascii=choose.random() < 0.3)


def of_logfmt(log):
    choose = log.choose
    level, first = log.level(), log.text()
    text, ms = moment(log)
    pairs = [(choose.choice(["level", "lvl", "severity"]), spelled(choose, level, True)), (choose.choice(["msg", "message"]), first)]
    if choose.random() < 0.8:
        pairs.append((choose.choice(["time", "ts", "timestamp"]), text))
    else:
        ms = None
    fields = dict(choose.sample([("caller", "a.go:1"), ("n", "17"), ("path", "/a b"), ("q", 'x="y"'), ("none", ""), ("a.b", "Łódź")], choose.randrange(5)))
    pairs += fields.items()
    choose.shuffle(pairs)
    line = " ".join(f"{name}={quoted(choose, value)}" for name, value in pairs)
    log.record([line], level, ms, first, fields, "own")


def of_syslog(log):
    choose, time = log.choose, log.tick()
    severity = choose.randrange(8)
    tag = f"{choose.choice(NAMES)}[{choose.randrange(1, 9999)}]: "
    first = tag + log.text()
    written = choose.choice([time.strftime("%b %e %H:%M:%S"), time.strftime("%Y-%m-%dT%H:%M:%SZ")])
    log.record([f"<{choose.randrange(24) * 8 + severity}>{written} host {first}"], SEVERITIES[severity], seconds(time), first, kind="own")


def of_syslog_file(log):
    """As syslog is written to files: without its priority."""
    choose, time, level = log.choose, log.tick(), log.level()
    text = choose.choice(CALM)
    word = choose.choice(WORDS[level])
    level, text = choose.choice([("unknown", text), ("unknown", text), (level, f"[{word.lower()}] {text}"), (level, f"{word}: {text}"),
                                 (level, f"{word.lower()}: {text}"), ("error", "ValueError: a")])
    first = f"{choose.choice(NAMES)}[{choose.randrange(1, 9999)}]: {text}"
    log.record([f"{time.strftime('%b %e %H:%M:%S')} host {first}"], level, seconds(time), first, kind="own")


def of_rfc5424(log):
    choose, time, severity = log.choose, log.tick(), log.choose.randrange(8)
    data = choose.choice(["-", '[a@1 b="c"]', r'[a@1 b="\"]\\"][c@2]'])
    mark = choose.choice(["", "\ufeff"])
    first = log.text()
    written, ms = choose.choice([(time.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), milliseconds(time)), ("-", None)])
    log.record([f"<{choose.randrange(24) * 8 + severity}>1 {written} host app 7 - {data} {mark}{first}"], SEVERITIES[severity], ms, first, kind="own")


def of_klog(log):
    choose, time = log.choose, log.tick()
    level = choose.choice(["info", "warning", "error", "fatal"])
    first = log.text()
    line = f"{level[0].upper()}{time.strftime('%m%d %H:%M:%S.%f')} {choose.randrange(1, 99_999):7} a_b.go:{choose.randrange(999)}] {first}"
    log.record([line], level, milliseconds(time), first)


def of_postgres(log):
    choose, time = log.choose, log.tick()
    # A zone by its name is not guessed: as without one, the time counts as UTC.
    start = time.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3] + f" {choose.choice(['UTC', 'UTC', 'GMT', 'CET'])} [{choose.randrange(1, 9999)}] "
    start += choose.choice(["", "app@db "])
    level, word = choose.choice([("error", "ERROR"), ("fatal", "FATAL"), ("fatal", "PANIC"), ("warning", "WARNING"), ("info", "LOG"),
                                 ("info", "NOTICE"), ("info", "INFO")])
    first = choose.choice(["no kestrel", 'relation "a" is missing', "ERROR in it", "duration: 5.1 ms  statement: select 1"])
    log.record([f"{start}{word}:  {first}"], level, milliseconds(time), first)
    for name in choose.sample(["DETAIL", "HINT", "CONTEXT", "STATEMENT", "QUERY", "LOCATION"], choose.randrange(4)):
        text = f"{name}:  {choose.choice(['Key (id)=(1) exists.', 'ERROR:  is only a word here.', 'select kestrel'])}"
        log.put(start + text)
        log.open["lines"].append(text)
        if choose.random() < 0.3:
            log.go_on(["\tfrom a", "\twhere b = 'ERROR'"])


def journal_fields(choose):
    fields = [("SYSLOG_IDENTIFIER", "sshd"), ("_SYSTEMD_UNIT", "ssh.service"), ("_PID", "17"), ("_HOSTNAME", "host")]
    return dict(choose.sample(fields, choose.randrange(5)))


def of_journal_json(log):
    choose, time, severity, fields = log.choose, log.tick(), log.choose.randrange(8), journal_fields(log.choose)
    first = log.text() + choose.choice(["", "", "\nsecond line"])
    message = choose.choice([first, first, list(f"\x1b[31m{first}\x1b[0m".encode())])
    members = [("__REALTIME_TIMESTAMP", str((time - EPOCH) // timedelta(microseconds=1))), ("MESSAGE", message), ("PRIORITY", str(severity)),
               ("__CURSOR", "s=1;i=2"), ("_BOOT_ID", "b1"), *fields.items()]
    choose.shuffle(members)
    log.record([json.dumps(dict(members), separators=choose.choice([(",", ":"), (", ", " : ")]))], SEVERITIES[severity], milliseconds(time), first, fields, "own")


def of_journal_export(log):
    choose, time, severity, fields = log.choose, log.tick(), log.choose.randrange(8), journal_fields(log.choose)
    number = log.line_count + 1
    first = log.text() + choose.choice(["", "", "\nsecond line", "\n\n__CURSOR=s=2\n[ERROR] third", "\nx" * 300])
    message = choose.choice([first, f"\x1b[31m{first}\x1b[0m"])
    members = [("MESSAGE", message), ("PRIORITY", str(severity)), ("_BOOT_ID", "b1"), ("__MONOTONIC_TIMESTAMP", "5"), *fields.items()]
    choose.shuffle(members)
    stamp = ("__REALTIME_TIMESTAMP", str((time - EPOCH) // timedelta(microseconds=1)))
    for name, value in [*choose.choice([[("__CURSOR", "s=1;i=2")], []]), stamp, *members]:
        data = value.encode()
        if "\n" in value or "\x1b" in value or name[:2] != "__" and choose.random() < 0.1:
            # The eight bytes of a length hold no end of a line to a reader, but may to one who counts them.
            log.raw(name.encode() + b"\n" + len(data).to_bytes(8, "little") + data + b"\n")
        else:
            log.raw(f"{name}={value}\n".encode())
    log.raw(b"\n")
    log.records.append({"lines": [first], "level": SEVERITIES[severity], "time": milliseconds(time), "first": first, "line": number,
                        "fields": fields, "kind": "entry"})
    log.open = None


def of_trace(log):
    level, lines = log.choose.choice(TRACES)
    log.stray(lines, level)


def of_panic(log):
    # It is never a part of the record before.
    lines = log.choose.choice(RUST)
    log.record(lines, "fatal", None, lines[0], kind="own")


def of_strays(log):
    for _ in range(log.choose.randrange(1, 4)):
        log.stray([log.choose.choice(STRAYS)])


def of_long(log):
    """What has to be cut."""
    choose = log.choose
    text, time = moment(log)
    kind = choose.randrange(4)
    if kind == 0:
        first = "x" * choose.choice([16_000, 17_000, 70_000, 200_000]) + choose.choice(["", "ä" * 500])
        log.record([f"{text} ERROR {first}"], "error", time, first)
    elif kind == 1:
        first = "ä" * choose.choice([8_000, 8_200, 40_000])
        log.record([f"{text} ERROR: {first}"], "error", time, first)
    elif kind == 2:
        log.record([f"{text} WARN a"], "warning", time, "a")
        log.go_on(JAVA[:1] + ["\tat a.B.c(B.java:1)"] * choose.choice([190, 400]) + ["Caused by: b.C: d", "\t... 3 more"])
    else:
        # Of JSON that is cut, the members before the cut are there.
        line = json.dumps({"level": "error", "msg": "a", "time": text, "n": 1, "long": "x" * choose.choice([17_000, 70_000])})
        log.record([line], "error", time, "a", {"n": 1}, "own")


def of_interleaved(log):
    """Two streams whose lines are cut in parts, which take turns. The record of a line is there when its last part is."""
    choose = log.choose
    order = choose.sample([("stdout", 0), ("stdout", 1), ("stderr", 0), ("stderr", 1)], 4)
    order.sort(key=lambda one: one[1])
    made = {stream: said(log, UNDATED, "") for stream in ("stdout", "stderr")}
    begun = {}
    log.runtime += timedelta(seconds=2)
    for number, (stream, part) in enumerate(order):
        time = log.runtime + timedelta(milliseconds=number)
        line, level, first = made[stream]
        at = len(line) // 2
        text = (line[:at], line[at:])[part]
        log.raw(f"{time.strftime('%Y-%m-%dT%H:%M:%S.%f')}000Z {stream} {'PF'[part]} {text}{log.end}".encode())
        begun.setdefault(stream, (log.line_count, milliseconds(time)))
        if part == 1:
            number, ms = begun[stream]
            log.open = {"lines": [line], "level": level, "time": ms, "first": first, "line": number, "fields": {}, "kind": "text"}
            log.records.append(log.open)


# Kinds of records, with the lines that may come between them.
BASIC = [of_text, of_text, of_text, of_text_without_level, of_text_without_time, of_day, of_epoch, of_asctime, of_nginx_error, of_access,
         of_json, of_json, of_docker, of_logfmt, of_syslog, of_syslog_file, of_rfc5424, of_klog, of_postgres, of_journal_json]
LOOSE = [of_trace, of_panic, of_strays]


def write_log(choose):
    log = Log(choose)
    kinds = choose.choice([[choose.choice(BASIC)], [choose.choice(BASIC)], choose.sample(BASIC, 3), BASIC])
    loose = choose.choice([[], LOOSE])
    shape = choose.randrange(10)
    if shape == 0:
        # Lengths of the journal's contents are bytes, which no end of a line is added to.
        log.end, log.coloured = "\n", False
        kinds = [of_journal_export, *choose.choice([[], [of_text, of_json]])]
    elif shape in (1, 2):
        log.runtime, log.content = log.clock, b""
        # Times without a year are of the runtime's year. What the runtime cut is no line of colours to be cut again.
        loose = [*loose, of_interleaved]
    blanks, indented, long = choose.choice([0, 0.1]), choose.choice([0, 0.15]), choose.choice([0, 0, 0.05])
    for _ in range(choose.randrange(1, 40)):
        if choose.random() < blanks:
            log.blank()
        if log.runtime is None and choose.random() < long:
            of_long(log)
        elif loose and choose.random() < 0.2:
            choose.choice(loose)(log)
        else:
            choose.choice(kinds)(log)
        if log.open is not None and choose.random() < indented and log.open["lines"][-1:] != [""]:
            log.go_on([choose.choice(INDENTED) for _ in range(choose.randrange(1, 4))])
    if choose.random() < 0.2:
        # Behind the last end of a line there is no empty line.
        content = log.content.removesuffix(log.end.encode())
        log.content = log.content if content.endswith(b"\n") or not content else content
    return log


def shown_time(ms):
    return None if ms is None else (EPOCH + timedelta(milliseconds=ms)).strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03}Z"


def endings(lines):
    """The lines that name an error and find no room in a record."""
    length, found = len(lines[0]), []
    for number, line in enumerate(lines[1:], 2):
        has_room = number <= RECORD_LINES_MAX and length < RECORD_BYTES_MAX
        length += 1 + len(line) if has_room else 0
        if (not has_room or length > RECORD_BYTES_MAX) and (line.startswith(b"Caused by:") or line == PYTHON[-1].encode()):
            found.append(line)
    return found


def truth(record):
    """A record as an answer has it."""
    lines = [line.encode(errors="surrogateescape") for line in record["lines"]]
    first = record["first"].encode(errors="surrogateescape")
    kept = b"\n".join(lines[:RECORD_LINES_MAX])
    cut = record["kind"] != "entry" and (len(lines) > RECORD_LINES_MAX or len(kept) > RECORD_BYTES_MAX)
    if record["kind"] == "entry":
        message = first
    elif lines[0].startswith(b"{"):
        message = first + kept[:RECORD_BYTES_MAX][len(lines[0]) :]
    elif cut:
        message = kept[:RECORD_BYTES_MAX][lines[0].index(first) :]
        message += b"".join(b"\n" + line[:ENDING_BYTES_MAX] for line in endings(lines)[-1:])
    else:
        message = b"\n".join([first, *lines[1:]])
    return {
        "time": shown_time(record["time"]), "level": record["level"], "message": message.rstrip(SPACE.encode()).decode(errors="replace"),
        "file": "a.log", "line": record["line"], **({"fields": record["fields"]} if record["fields"] else {}), **({"cut": True} if cut else {}),
    }


def queries(choose):
    """All records, and one other question."""
    now = milliseconds(NOW)
    other = choose.choice([
        {"want": {"counts": {"by": choose.choice(["level", "level", "hour", "day", "minute", "file"])}}},
        {"want": {"records": {"limit": choose.choice([1, 5, 1000]), "newest": True}}},
        {"want": {"records": {"limit": choose.choice([1, 5]), "newest": False}}},
    ])
    if choose.random() < 0.4:
        other["levels"] = choose.choice([{"at_least": choose.choice(LEVELS)}, {"exactly": choose.sample(LEVELS, 2)}])
    if choose.random() < 0.3:
        other["text"] = ["KESTREL"]
    if choose.random() < 0.3:
        other["since_ms"] = now - choose.randrange(360 * 86_400_000)
    if choose.random() < 0.2:
        other["until_ms"] = now - choose.randrange(180 * 86_400_000)
    return [{"now_ms": now, "want": {"records": {"limit": 1000, "newest": False}}}, {"now_ms": now, **other}]


def expected(log, query):
    """The answer to a question."""
    levels = query.get("levels", {})
    if "at_least" in levels:
        asked = LEVELS[: LEVELS.index(levels["at_least"]) + 1]
    else:
        asked = levels.get("exactly", LEVELS)
    since, until = query.get("since_ms"), query.get("until_ms")
    bounded = since is not None or until is not None
    seen = {"files": 1, "lines": log.line_count, "records": len(log.records), "bytes": len(log.content), "unparsed": 0, "undated": 0,
            "within": 0, "unleveled": 0, "matched": 0, "fatal": 0, "requests": 0}
    last, matched = None, []
    for number, record in enumerate(log.records):
        last = last if record["time"] is None else record["time"]
        seen["unparsed"] += record["kind"] == "stray" and record["level"] == "unknown" and record["time"] is None
        seen["undated"] += bounded and last is None
        if bounded and (last is None or since is not None and last < since or until is not None and last >= until):
            continue
        seen["within"] += 1
        shown = truth(record)
        if any(text.lower() not in shown["message"].lower() for text in query.get("text", [])):
            continue
        if record["level"] in asked:
            seen["fatal"] += record["level"] == "fatal"
            seen["requests"] += record["kind"] == "access"
            matched.append((-(10**18) if last is None else last, number, last, shown))
        else:
            seen["unleveled"] += record["level"] == "unknown"
    seen["matched"] = len(matched)
    (want, how), = query["want"].items()
    if want == "records":
        chosen = sorted(matched, key=lambda one: one[:2])[-how["limit"] :] if how["newest"] else matched[: how["limit"]]
        return {"records": [shown for *_, shown in chosen], "seen": seen}
    counts = {}
    for *_, last, shown in matched:
        text = shown_time(last)
        spans = {"hour": lambda: text[:13] + ":00Z", "minute": lambda: text[:16] + "Z", "day": lambda: text[:10]}
        key = shown.get(how["by"]) or (spans[how["by"]]() if text else "unknown")
        counts[key] = counts.get(key, 0) + 1
    return {"counts": counts, "seen": seen}


def made(number):
    choose = random.Random(number)
    log = write_log(choose)
    return log, queries(choose)


def write(folder, count):
    for number in range(count):
        log, asked = made(number)
        (folder / f"{number}.log").write_bytes(log.content)
        (folder / f"{number}.queries.json").write_text(json.dumps(asked))


def difference(found, wanted):
    """The first record, or the part, that differs."""
    for name in wanted:
        if isinstance(wanted[name], list):
            for one, other in zip(found.get(name, []), wanted[name]):
                if one != other:
                    return f"found:    {json.dumps(one)[:700]}\nexpected: {json.dumps(other)[:700]}"
    return f"found:    {json.dumps({**found, 'records': 0})[:1500]}\nexpected: {json.dumps({**wanted, 'records': 0})[:1500]}"


def check(folder):
    failed, records, levels, lines = 0, 0, {}, 0
    numbers = sorted(int(path.name.partition(".")[0]) for path in folder.glob("*.answers.json"))
    for number in numbers:
        log, asked = made(number)
        records, lines = records + len(log.records), lines + log.line_count
        for record in log.records:
            levels[record["level"]] = levels.get(record["level"], 0) + 1
        for query, found in zip(asked, json.loads((folder / f"{number}.answers.json").read_text()), strict=True):
            wanted = expected(log, query)
            # How many lines were cut is told apart by line and by record; `cut` of each record is compared.
            del found["seen"]["cut"]
            if found != wanted:
                failed += 1
                if failed <= 8:
                    print(f"{number}.log {json.dumps(query)}\n{difference(found, wanted)}\n")
    print(f"{failed} of {2 * len(numbers)} answers differ; {lines} lines, {records} records, {levels}")
    sys.exit(failed > 0 or not numbers)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "write":
        write(folder, int(sys.argv[3]))
    else:
        check(folder)
