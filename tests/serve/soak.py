"""Runs for long: `python3 tests/serve/soak.py [RUNS]`, after `cargo build --release`; 100,000 runs unless told otherwise.

Eight clients ask one server for short runs, of which some fail, print or run out of fuel, and every tenth is a durable job. Ten times
on the way it is written down what the server and its workers hold: resident memory, threads, descriptors, and the size of the state
folder. The last line is `flat`, or what grew: what is held at the end against the same at three tenths, when all that is kept for a
while is warm."""
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "target/release/intentbox"
CLIENTS, MEASURES = 8, 10
SCRIPTS = ["1 / 0", "print('x' * 1000)", "while True: pass"] + ["result = list(range(100))"] * 5

home = tempfile.TemporaryDirectory()
command = [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--state", "state", "--require-hardening=false", "--slots", "2"]
environment = {"HOME": home.name, "PATH": os.environ["PATH"]}
server = subprocess.Popen(command, cwd=home.name, env=environment, stderr=subprocess.PIPE, text=True)
address = next(line.split("http://")[1].split("/")[0] for line in server.stderr if "http://" in line)
threading.Thread(target=server.stderr.read, daemon=True).start()


def held():
    """What the server and the processes that it started hold."""
    sums, left = {"MiB": 0, "threads": 0, "descriptors": 0, "processes": 0}, [server.pid]
    while left:
        process = pathlib.Path(f"/proc/{left.pop()}")
        try:
            status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
            sums["MiB"] += int(status["VmRSS"].split()[0]) // 1024
            sums["threads"] += int(status["Threads"])
            sums["descriptors"] += len(os.listdir(process / "fd"))
            sums["processes"] += 1
            for task in (process / "task").iterdir():
                left += map(int, (task / "children").read_text().split())
        except (FileNotFoundError, KeyError):
            continue
    state = pathlib.Path(home.name, "state").rglob("*")
    return sums | {"state MiB": sum(file.stat().st_size for file in state if file.is_file()) >> 20}


def ask(connection, method, path, body=None):
    connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


done, lock, wrong = 0, threading.Lock(), []


def client(until):
    global done
    connection = http.client.HTTPConnection(address, timeout=120)
    while True:
        with lock:
            if done >= until:
                return
            done += 1
            number = done
        code = SCRIPTS[number % len(SCRIPTS)]
        request = {"code": code, "limits": {"fuel": 20_000_000}}
        status, report = ask(connection, "POST", "/v1/jobs" if number % 10 == 0 else "/v1/run", request)
        if number % 10 and report.get("outcome") not in ("ok", "python_error", "fuel_exhausted") or status == 500:
            wrong.append((status, report))


print(f"{'runs':>8}", *(f"{name:>12}" for name in held()), sep="")
rows = []
for measure in range(1, MEASURES + 1):
    clients = [threading.Thread(target=client, args=(RUNS * measure // MEASURES,)) for _ in range(CLIENTS)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    rows.append(held())
    print(f"{done:>8}", *(f"{value:>12}" for value in rows[-1].values()), sep="", flush=True)
server.terminate()
server.wait()
early, late = rows[2], rows[-1]
bounds = {"MiB": 32, "threads": 8, "descriptors": 16, "processes": 0}
grown = [f"{name} grew from {early[name]} to {late[name]}" for name, bound in bounds.items() if late[name] > early[name] + bound]
print("; ".join(grown + [f"wrong: {one}" for one in wrong[:3]]) or "flat")
sys.exit(bool(grown or wrong))
