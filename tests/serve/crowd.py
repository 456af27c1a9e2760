"""A crowd at one server: `python3 tests/serve/crowd.py connections [COUNT]` or `crowd.py hostile [SECONDS]`, after
`cargo build --release`.

`connections` opens as many connections as the server has places, 10,000 unless told otherwise: of each four, two say nothing, one
sends half a head, and one has been answered and goes on listening. Meanwhile one client asks for short runs.

`hostile` lets four clients of one principal send every script of `tests/attacks` in turn, each with two seconds and 500 million units
of fuel, while two clients of another ask for short runs, 30 seconds long unless told otherwise.

Both print how long a short run took alone, in the crowd and, for `hostile`, after it, and end with `all answered` or with what went
wrong. Each client is a process: threads of one Python would wait for each other, up to 5 ms at a time, and the wait would count as the
server's."""
import http.client
import json
import multiprocessing
import os
import pathlib
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "target/release/intentbox"
KIND = sys.argv[1] if len(sys.argv) > 1 else "connections"
MUCH = int(sys.argv[2]) if len(sys.argv) > 2 else {"connections": 10_000, "hostile": 30}[KIND]
HEAD = b"POST /v1/run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-"

most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
home = tempfile.TemporaryDirectory()
environment = {"HOME": home.name, "PATH": os.environ["PATH"]}


def token(name):
    command = [PROGRAM, "--json", "token", "create", name, "--state", "state"]
    return json.loads(subprocess.run(command, cwd=home.name, env=environment, capture_output=True, check=True).stdout)["token"]


tokens = {name: token(name) for name in ("friend", "stranger")}
command = [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--state", "state", "--require-hardening=false", "--slots", "2"]
server = subprocess.Popen(command, cwd=home.name, env=environment, stderr=subprocess.PIPE, text=True)
address = next(line.split("http://")[1].split("/")[0] for line in server.stderr if "http://" in line)
threading.Thread(target=server.stderr.read, daemon=True).start()
wrong = []
fork = multiprocessing.get_context("fork")
FAULTS = (OSError, http.client.HTTPException, ValueError)


def ask(connection, name, code, limits=None):
    body = json.dumps({"code": code, "limits": limits or {}})
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {tokens[name]}"}
    connection.request("POST", "/v1/run", body, headers)
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def short_runs(until, found):
    """Asks for short runs, one after another, and puts into `found` how many milliseconds each took, and what went wrong."""
    connection, times, wrong = http.client.HTTPConnection(address, timeout=60), [], []
    while until():
        begun = time.perf_counter()
        try:
            status, report = ask(connection, "friend", f"result = sum(range(100)) + {len(times)}")
        except FAULTS as error:
            wrong.append(repr(error))
            connection = http.client.HTTPConnection(address, timeout=60)
            continue
        times.append((time.perf_counter() - begun) * 1e3)
        if report.get("outcome") != "ok":
            wrong.append((status, report))
    found.put((times, wrong))


def together(clients):
    """Runs each client, a function and its arguments, in a process, and returns what each found."""
    found = fork.SimpleQueue()
    processes = [fork.Process(target=client, args=(*arguments, found)) for client, *arguments in clients]
    for one in processes:
        one.start()
    answers = [found.get() for _ in processes]
    for one in processes:
        one.join()
    return answers


def told(what, answers):
    """Prints how long the short runs took, and returns the 99th percentile."""
    times = sorted(time for times, _ in answers for time in times)
    wrong.extend(one for _, each in answers for one in each)
    part = lambda share: times[min(len(times) - 1, int(len(times) * share))]
    print(f"{what:<30} {len(times):>6} runs, p50 {part(0.5):.1f} ms, p99 {part(0.99):.1f} ms", flush=True)
    return part(0.99)


def measured(what, clients, until):
    return told(what, together([(short_runs, until)] * clients))


def for_seconds(seconds):
    end = time.monotonic() + seconds
    return lambda: time.monotonic() < end


def connections():
    measured("alone", 1, for_seconds(5))
    host, port = address.split(":")
    crowd = []
    for number in range(MUCH):
        one = socket.create_connection((host, int(port)), timeout=60)
        if number % 4 == 2:
            one.sendall(HEAD)
        elif number % 4 == 3:
            one.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        crowd.append(one)
    print(f"{len(crowd)} connections are open")
    measured("beside them", 1, for_seconds(10))


def attack(attacks, sent, until, found):
    """Sends every script of `attacks` in turn with the others who attack, and puts into `found` what the server failed at."""
    connection, wrong = http.client.HTTPConnection(address, timeout=120), []
    while until():
        with sent.get_lock():
            number, sent.value = sent.value, sent.value + 1
        try:
            status, report = ask(connection, "stranger", attacks[number % len(attacks)], {"wall_ms": 2_000, "fuel": 500_000_000})
        except FAULTS as error:
            wrong.append((number % len(attacks), repr(error)))
            connection = http.client.HTTPConnection(address, timeout=120)
            continue
        if report.get("outcome") == "internal" or status == 500:
            wrong.append((number % len(attacks), status, report))
    found.put(([], wrong))


def hostile():
    alone = measured("alone", 2, for_seconds(10))
    attacks = [path.read_bytes().decode(errors="replace") for path in sorted((ROOT / "tests/attacks").glob("*.py"))]
    until, sent = for_seconds(MUCH), fork.Value("q", 0)
    answers = together([(attack, attacks, sent, until)] * 4 + [(short_runs, until)] * 2)
    beside = told("beside four hostile clients", answers)
    measured("after them", 2, for_seconds(10))
    print(f"{sent.value} hostile scripts of {len(attacks)}; p99 is {beside / alone:.1f} times that of before")


{"connections": connections, "hostile": hostile}[KIND]()
server.terminate()
server.wait()
print("; ".join(f"wrong: {one}"[:300] for one in wrong[:3]) or "all answered")
sys.exit(bool(wrong))
