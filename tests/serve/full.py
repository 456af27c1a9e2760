"""What a server does on a disk that somebody fills: `python3 tests/serve/full.py`, after `cargo build --release`.

The state folder is a file system of 48 MiB in memory. On the first, jobs report more than it holds, and all of them end. On the second, many jobs become due together. On the third, the server refuses new jobs before it is full, and says that it is not ready; then
another program takes all that is left. Jobs are cancelled nevertheless, tokens are revoked, schedules are removed and the server ends
when it is told to. A job whose report finds no room for a minute ends without it. The server starts again on the full disk, and goes on once there is room: nothing that it promised is lost."""
import atexit
import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "target/release/intentbox"
SIZE = "48m"

if "INTENTBOX_TEST_MOUNTS" not in os.environ:
    # In a view of the file systems of its own, which ends with it.
    own = ["--mount"] if os.getuid() == 0 else ["--mount", "--map-root-user"]
    if subprocess.run(["unshare", *own, "true"], stderr=subprocess.DEVNULL).returncode != 0:
        sys.exit("this machine lets this user mount nothing: run it as root")
    os.environ["INTENTBOX_TEST_MOUNTS"] = "own"
    os.execvp("unshare", ["unshare", *own, sys.executable, __file__])

folder = tempfile.TemporaryDirectory()
home = pathlib.Path(folder.name)
state = home / "state"
servers, mounted = [], []


def mount():
    """Begins with an empty disk."""
    state.mkdir(mode=0o700, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=700", "tmpfs", state], check=True)
    mounted.append(state)


@atexit.register
def clean():
    for server in servers:
        server.kill()
        server.wait()
    for disk in mounted:
        subprocess.run(["umount", "--lazy", disk])


environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
# A policy is kept for those who ask later under which one a job ran: a server that begins writes it.
(home / ".config/intentbox").mkdir(parents=True)
for name in ("config.toml", "policy.toml"):
    (home / ".config/intentbox" / name).write_text("")
wrong = []


def claim(what, found, expected=True):
    print(f"{'ok' if found == expected else 'FAILED'}  {what}" + ("" if found == expected else f": {found} and not {expected}"))
    if found != expected:
        wrong.append(what)


def command(*arguments):
    return subprocess.run([PROGRAM, *arguments, "--state", state], env=environment, cwd=home, capture_output=True, text=True)


def start():
    arguments = [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--state", state, "--require-hardening=false"]
    server = subprocess.Popen(arguments, cwd=home, env=environment, stderr=subprocess.PIPE, text=True)
    servers.append(server)
    for line in server.stderr:
        if "serving the dashboard" in line:
            return server, line.split("http://")[1].split("/")[0]
    return server, None


def ask(method, path, body=None, token=None):
    connection = http.client.HTTPConnection(address, timeout=60)
    headers = {"Content-Type": "application/json"} if body else {}
    headers["Authorization"] = f"Bearer {token or client}"
    connection.request(method, path, json.dumps(body) if body else None, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    return answer.status, json.loads(text) if text.startswith("{") else text


def soon(what, look, seconds=60):
    until = time.monotonic() + seconds
    while not look() and time.monotonic() < until:
        time.sleep(0.1)
    claim(what, look())


def state_of(id):
    return ask("GET", f"/v1/jobs/{id}")[1].get("state")


def fill(leaving=0):
    """Takes what is left of the disk, but for so many bytes."""
    with open(state / "of-somebody-else", "ab", buffering=0) as file:
        try:
            while (free := os.statvfs(state)).f_bavail * free.f_frsize > leaving:
                file.write(b"x" * 4096)
        except OSError:
            pass


mount()
client = command("token", "create", "ci").stdout.strip()
server, address = start()
reporting = {"code": "result = 'x' * 900_000"}
many = []
while len(many) < 120:
    status, job = ask("POST", "/v1/jobs", reporting)
    if status == 202:
        many.append(job["id"])
    else:
        time.sleep(0.2)
soon("jobs that report twice what the disk holds end", lambda: {state_of(id) for id in many} == {"finished"}, 180)
last = [ask("GET", f"/v1/jobs/{id}")[1] for id in (many[0], many[-1])]
claim("all with their outcomes", {job["outcome"] for job in last}, {"ok"})
claim("the first of them without its report", "its long texts were removed" in last[0].get("trouble", ""))
claim("and the last with it", len((last[1].get("report") or {}).get("result", "")), 900_000)
claim("the server is ready all the while", ask("GET", "/readyz")[0], 200)
server.send_signal(signal.SIGTERM)
server.wait()

# Many jobs that become due together would take all of the disk by becoming ready.
mount()
client = command("token", "create", "ci").stdout.strip()
server, address = start()
due = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 30))
batch = {"jobs": [{"code": "result = 'x' * 1300", "run_at": due}] * 200}
waiting = []
while (answer := ask("POST", "/v1/batches", batch))[0] == 202:
    waiting += [job["id"] for job in answer[1]["jobs"]]
claim("jobs for one time are accepted until the disk is nearly full", (len(waiting) > 10_000, answer[0]), (True, 503))
soon("some of them end", lambda: state_of(waiting[0]) == "finished", 90)
least = os.statvfs(state)
for _ in range(150):
    free = os.statvfs(state)
    least = min(least, free, key=lambda free: free.f_bavail)
    time.sleep(0.1)
claim("they leave room on the disk", least.f_bavail * least.f_frsize > 512 << 10)
claim("those that wait are cancelled", {ask("DELETE", f"/v1/jobs/{id}")[0] for id in waiting[-500:]}, {200})
server.send_signal(signal.SIGTERM)
server.wait()

mount()
client = command("token", "create", "ci").stdout.strip()
other = command("token", "create", "other").stdout.strip()
other_id = next(line.split()[0] for line in command("token", "list").stdout.splitlines() if " other " in f" {line} ")
server, address = start()
claim("the server is ready", ask("GET", "/readyz")[0], 200)
schedule = ask("POST", "/v1/schedules", {"cron": "0 0 1 1 *", "job": {"code": "1"}})[1]["id"]
busy = [ask("POST", "/v1/jobs", {"code": "while True: pass", "limits": {"wall_ms": 600_000, "fuel": 10**13}})[1] for _ in range(4)]
busy = [job.get("id") or sys.exit(job) for job in busy]
slow = ask("POST", "/v1/jobs", {"code": "import time\ntime.sleep(15)\nresult = 'x' * 200_000", "limits": {"wall_ms": 600_000}})[1]["id"]
soon("five jobs run", lambda: all(state_of(id) == "running" for id in [*busy, slow]))

later = {"code": "#" + "x" * 60_000, "delay_s": 3600}
promised = [ask("POST", "/v1/jobs", later)[1]["id"] for _ in range(100)]
fill(leaving=8 << 20)
answer = ask("POST", "/v1/jobs", later)
full = ("urn:intentbox:problem:storage_failed", "the disk of the server is full, or nearly full: its operator has to free space there")
claim("a job is refused before the disk is full, and not lost", (answer[0], answer[1]["type"], answer[1]["detail"]), (503, *full))
fill()
soon("a server that can keep nothing is not ready", lambda: ask("GET", "/readyz")[0] == 503)
claim("a run without a job is answered", ask("POST", "/v1/run", {"code": "result = 1 + 1"})[1]["result"], 2)
claim("jobs that run are cancelled", {ask("DELETE", f"/v1/jobs/{id}")[0] for id in busy[:3]}, {202})
soon("and end", lambda: all(state_of(id) == "cancelled" for id in busy[:3]))
gone, promised = promised[:20], promised[20:]
claim("jobs that wait are cancelled", {ask("DELETE", f"/v1/jobs/{id}")[1]["state"] for id in gone}, {"cancelled"})
soon("a job whose report finds no room ends without it", lambda: state_of(slow) == "finished", 180)
slow = ask("GET", f"/v1/jobs/{slow}")[1]
claim("and says so", (slow["outcome"], slow["trouble"]), ("ok", "its report was not kept: the disk of the server was full"))
claim("a schedule is removed", command("schedules", "remove", schedule, "--principal", "ci").returncode, 0)
claim("a token is revoked", command("token", "revoke", other_id).returncode, 0)
soon("and accepted no more", lambda: ask("GET", "/v1/jobs", token=other)[0] == 401)
refused = command("jobs", "submit", "list errors", "--principal", "ci")
claim("a command says why it cannot submit", (refused.returncode, "of its disk are free; free some" in refused.stderr), (7, True))

begun = time.monotonic()
server.send_signal(signal.SIGTERM)
server.wait()
claim("the server ends when it is told to, with a job that runs", time.monotonic() - begun < 60)
server, address = start()
claim("it starts again on the full disk", address is not None)
claim("and is not ready", ask("GET", "/readyz")[0], 503)

(state / "of-somebody-else").unlink()
soon("with room it is ready", lambda: ask("GET", "/readyz")[0] == 200)
status, job = ask("POST", "/v1/jobs", {"code": "result = 42"})
claim("and accepts jobs", status, 202)
soon("which end", lambda: state_of(job["id"]) == "finished")
claim("nothing that was promised is lost", {state_of(id) for id in promised}, {"scheduled"})
server.send_signal(signal.SIGTERM)
server.wait()
sys.exit(f"{len(wrong)} claims failed" if wrong else 0)
