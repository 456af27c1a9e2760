"""What a server answers while its database hangs, and afterwards: `tests/postgres/run python3 tests/postgres/hung.py`, after
`cargo build --release`.

The database's processes are stopped, so that connections to it are taken and nothing is answered. Then whoever asks whether the server
is ready hears no, each request gets an error instead of waiting for ever, a run without a job is answered, and when the processes go on
so does the server."""
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
URL = os.environ["INTENTBOX_TEST_POSTGRES"]
folder = tempfile.TemporaryDirectory()
home = pathlib.Path(folder.name)
file = home / "database"
file.write_text(URL)
file.chmod(0o600)
command = [ROOT / "target/release/intentbox", "serve", "--listen", "127.0.0.1:0", "--database", file, "--require-hardening=false"]
environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
server = subprocess.Popen(command, cwd=home, env=environment, stderr=subprocess.PIPE, text=True)
address = next(line.split("http://")[1].split("/")[0] for line in server.stderr if "http://" in line)


def ask(method, path, body=None):
    connection = http.client.HTTPConnection(address, timeout=120)
    headers = {"Content-Type": "application/json"} if body else {}
    connection.request(method, path, json.dumps(body) if body else None, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    return answer.status, json.loads(text) if text.startswith("{") else text


def database():
    """The processes of the database."""
    place = pathlib.Path(re.search("host=([^&]*)", URL)[1])
    first = (place / "data/postmaster.pid").read_text().split()[0]
    children = pathlib.Path(f"/proc/{first}/task/{first}/children").read_text().split()
    return [int(process) for process in (first, *children)]


wrong = []


def claim(what, found, expected):
    print(f"{'ok' if found == expected else 'FAILED'}  {what}" + ("" if found == expected else f": {found} and not {expected}"))
    if found != expected:
        wrong.append(what)


def wait_for(id, until):
    while (found := ask("GET", f"/v1/jobs/{id}")[1])["state"] not in ("finished", "dead") and time.monotonic() < until:
        time.sleep(0.2)
    return found


# For longer than a lease lasts, which is renewed every ten seconds and lasts for thirty.
HANGS_S = 42
JOB = {"code": "1+1"}
UNWRITTEN = "the database cannot be reached; whether the request was written is not known: send it again with the same Idempotency-Key"
try:
    claim("a server on a database is ready", ask("GET", "/readyz")[0], 200)
    # It is running when the database stops, and ends meanwhile.
    _, running = ask("POST", "/v1/jobs", {"code": "import time; time.sleep(3); result = 3"})
    while ask("GET", f"/v1/jobs/{running['id']}")[1]["state"] != "running":
        time.sleep(0.02)
    stopped, since = database(), time.monotonic()
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    try:
        status, problem = ask("GET", "/readyz")
        claim("while the database hangs it is not", (status, problem["detail"]), (503, "the database has not answered for 2 s"))
        claim("the process itself is alive", ask("GET", "/healthz"), (200, "ok\n"))
        with concurrent.futures.ThreadPoolExecutor(20) as clients:
            begun = time.monotonic()
            pages = clients.submit(ask, "GET", "/")
            lists = [clients.submit(ask, "GET", "/v1/jobs") for _ in range(8)]
            submitted = [clients.submit(ask, "POST", "/v1/jobs", JOB) for _ in range(8)]
            runs = clients.submit(ask, "POST", "/v1/run", JOB)
            found = {(one.result()[0], one.result()[1]["detail"]) for one in lists}
            claim("each list of jobs is an error", found, {(503, "the database cannot be reached")})
            found = {(one.result()[0], one.result()[1]["detail"]) for one in submitted}
            claim("each job gets one that says how to submit it again", found, {(503, UNWRITTEN)})
            claim("so does a page", pages.result()[0], 503)
            claim("a run without a job has its result", (runs.result()[0], runs.result()[1]["result"]), (200, 2))
            print(f"    all answered after {time.monotonic() - begun:.1f} s")
        time.sleep(max(0, since + HANGS_S - time.monotonic()))
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)
    # The server asks a database that was silent again after a second.
    until = time.monotonic() + 120
    while ask("GET", "/readyz")[0] != 200 and time.monotonic() < until:
        time.sleep(0.2)
    status, job = ask("POST", "/v1/jobs", JOB)
    claim("when it goes on, jobs are accepted", status, 202)
    found = wait_for(job["id"], until)
    claim("and done", (found["state"], found["report"]["result"]), ("finished", 2))
    found = wait_for(running["id"], until)
    told = (found["state"], found.get("report", {}).get("result"), found["attempt"])
    claim("a job that ended while the database hung has its result of that attempt", told, ("finished", 3, 1))
finally:
    server.send_signal(signal.SIGTERM)
    server.stderr.read()
    server.wait()
sys.exit(bool(wrong))
