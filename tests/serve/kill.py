"""Kills servers under load: `python3 tests/serve/kill.py SECONDS [SEED]`, after `cargo build --release`.

Two servers share one state folder, or under `tests/postgres/run` one database. Clients submit jobs to either, and again with the same key where no answer came, while one of the
two is killed (SIGKILL) every half second on average and started again. Afterwards each job that was accepted must have ended once,
with its own result. The last line is `held` or what did not hold, and the exit code says which."""
import http.client
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 30
random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "target/release/intentbox"
CLIENTS = 4

home = tempfile.TemporaryDirectory()
servers, addresses = [None, None], [None, None]
environment = {"HOME": home.name, "PATH": os.environ["PATH"]}
database = os.environ.get("INTENTBOX_TEST_POSTGRES")
if database:
    subprocess.run(["createdb", "--maintenance-db", database, "kill"], check=True)
    environment["INTENTBOX_DATABASE"] = os.path.join(home.name, "database")
    with open(os.open(environment["INTENTBOX_DATABASE"], os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
        file.write(database.replace("?", "/kill?", 1))
accepted, lock, is_over, kills = {}, threading.Lock(), threading.Event(), 0


def start(number):
    """Starts a server, and waits until it says where it is."""
    command = [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--state", "state", "--require-hardening=false", "--slots", "8"]
    servers[number] = subprocess.Popen(command, cwd=home.name, env=environment, stderr=subprocess.PIPE, text=True)
    for line in servers[number].stderr:
        if "http://" in line:
            addresses[number] = line.split("http://")[1].split("/")[0]
            break
    # What it says later must not fill the pipe.
    threading.Thread(target=servers[number].stderr.read, daemon=True).start()


def ask(number, method, path, body=None, headers=None):
    """The status and the text of an answer; nothing if the server is gone."""
    try:
        connection = http.client.HTTPConnection(addresses[number], timeout=10)
        connection.request(method, path, body, {"Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except (OSError, http.client.HTTPException):
        return None


def submit(client):
    number = 0
    while not is_over.is_set():
        key = f"{client}-{number}"
        answer = ask(random.randrange(2), "POST", "/v1/jobs", json.dumps({"code": f"result = {key!r}"}), {"Idempotency-Key": key})
        if answer and answer[0] == 202:
            with lock:
                accepted[key] = json.loads(answer[1])["id"]
            number += 1


def kill():
    global kills
    while not is_over.is_set():
        time.sleep(random.uniform(0.1, 0.9))
        number = random.randrange(2)
        servers[number].kill()
        servers[number].wait()
        kills += 1
        start(number)


start(0), start(1)
threads = [threading.Thread(target=submit, args=(client,)) for client in range(CLIENTS)] + [threading.Thread(target=kill)]
[thread.start() for thread in threads]
time.sleep(SECONDS)
is_over.set()
[thread.join() for thread in threads]

wrong, again, left = [], 0, dict(accepted)
while left:
    for key, job in list(left.items()):
        status, text = ask(random.randrange(2), "GET", f"/v1/jobs/{job}") or (None, "")
        shown = json.loads(text) if status == 200 else {}
        if shown.get("state") in ("scheduled", "ready", "running"):
            continue
        events = (ask(0, "GET", f"/v1/jobs/{job}/events") or (None, ""))[1]
        ends = sum(events.count(f"event: {state}\n") for state in ("finished", "cancelled", "expired", "dead"))
        if shown.get("outcome") != "ok" or shown["report"]["result"] != key or ends != 1:
            wrong.append((key, status, shown.get("state"), shown.get("outcome"), ends))
        again += shown.get("attempt", 0) > 1
        del left[key]

for server in servers:
    server.terminate()
    if server.wait() != 0:
        wrong.append(("exit", server.returncode))
if not database:
    check = sqlite3.connect(os.path.join(home.name, "state/jobs.db")).execute("PRAGMA integrity_check").fetchone()[0]
    if check != "ok":
        wrong.append(("database", check))
print(f"{len(accepted)} jobs accepted, {kills} kills, {again} attempted again, {len(wrong)} wrong")
print("held" if not wrong else f"did not hold: {wrong[:5]}")
sys.exit(bool(wrong))
