"""What the dashboard is in Chromium, a line for each claim. `run` calls this."""
import http.server, json, os, re, shutil, subprocess, sys, tempfile, threading, urllib.request
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "target/release/intentbox"
AXE = (ROOT / "target/dashboard/node/node_modules/axe-core/axe.min.js").read_text()
FAULTY = ROOT / "tests/upstream/faulty.py"
SERVERS = ROOT / "target/upstream/servers.json"
SHOTS = ROOT / "target/dashboard/shots" if "--show" in sys.argv else None
# How long something may take that has to happen, on a slow machine.
PATIENCE = 120
held = failed = 0


def claim(what, holds, told=""):
    global held, failed
    held += bool(holds)
    failed += not holds
    print("ok  " if holds else "FAIL", what, "" if holds else f"\n     {told}", flush=True)


class Server:
    """A server with a state of its own."""

    def __init__(self):
        self.home = Path(tempfile.mkdtemp(prefix="intentbox-dashboard-"))
        self.environment = {"HOME": str(self.home), "PATH": os.environ["PATH"]}

    def __enter__(self):
        command = [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--require-hardening=false"]
        self.process = subprocess.Popen(command, env=self.environment, cwd=self.home, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if found := re.search(r"http://[0-9.:]+", line):
                self.url = found[0]
                break
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.home)

    def command(self, *arguments):
        done = subprocess.run([PROGRAM, "--json", *arguments], env=self.environment, cwd=self.home, capture_output=True, text=True)
        return json.loads(done.stdout)

    def ask(self, path, body, token=None):
        headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        return json.load(urllib.request.urlopen(request))


def browser(script=True, dark=False, narrow=False):
    options = webdriver.ChromeOptions()
    for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--force-prefers-reduced-motion"]:
        options.add_argument(argument)
    options.add_argument("--window-size=" + ("500,900" if narrow else "1200,1000"))
    if dark:
        options.add_argument("--force-dark-mode")
    if not script:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.binary_location = shutil.which("chromium")
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def text(page):
    return page.find_element(By.TAG_NAME, "main").text


def until(page, holds):
    """Whether something holds in the end. What is asked while another page comes is asked again."""
    def tried(page):
        try:
            return holds(page)
        except WebDriverException:
            return False
    try:
        return WebDriverWait(page, PATIENCE, 0.1).until(tried)
    except TimeoutException:
        return False


def comes(page, words):
    """Whether a text comes into a page that nobody loads again."""
    return until(page, lambda page: words in text(page))


def press(page, label):
    """Presses a button. The page replaces its live part at any time, so a button that went is looked for again."""
    def pressed(page):
        try:
            page.find_element(By.XPATH, f"//button[text()='{label}']").click()
            return True
        except StaleElementReferenceException:
            return False
    WebDriverWait(page, PATIENCE, 0.1).until(pressed)


def shot(page, name):
    if SHOTS:
        SHOTS.mkdir(parents=True, exist_ok=True)
        height = page.execute_script("return document.documentElement.scrollHeight")
        size = page.get_window_size()
        page.set_window_size(size["width"], max(height + 150, 400))
        page.save_screenshot(SHOTS / f"{name}.png")
        page.set_window_size(size["width"], size["height"])


def accessible(page, name):
    """The rules of WCAG 2.2 AA and of best practice that a page breaks."""
    page.execute_script(AXE)
    found = page.execute_async_script("axe.run(document, {}).then(arguments[0])")
    claim(f"{name}: axe-core finds nothing ({len(found['passes'])} rules hold)", not found["violations"],
          [(rule["id"], [node["html"][:200] for node in rule["nodes"][:3]]) for rule in found["violations"]])


if not PROGRAM.exists():
    sys.exit("the program is not built: run cargo build --release")

HOSTILE = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"
with Server() as server, browser() as page:
    # A list that changes while somebody looks at it.
    page.get(server.url + "/")
    claim("an empty list says how to submit a job", "curl" in text(page) and server.url.removeprefix("http://") in text(page), text(page))
    accessible(page, "no jobs")
    claim("it is live", until(page, lambda page: page.find_element(By.CLASS_NAME, "live").is_displayed()))
    page.execute_script("window.isTheSamePage = true")
    server.ask("/v1/jobs", {"code": "result = 6 * 7", "labels": {"team": "shop"}})
    claim("a job comes into the list, and ends there", comes(page, "team=shop") and comes(page, "finished"), text(page))
    claim("without the page being loaded again", page.execute_script("return window.isTheSamePage === true"))

    # One job.
    endless = server.ask("/v1/jobs", {"code": "print('begun')\nwhile True: pass"})["id"]
    page.get(f"{server.url}/ui/jobs/{endless}")
    claim("the page of a job shows when it runs", comes(page, "running") and comes(page, "attempt=1"), text(page))
    accessible(page, "a job that runs")
    press(page, "Cancel")
    claim("a button cancels it", comes(page, "Submit again") and "cancelled" in text(page), text(page))
    answered = server.ask("/v1/jobs", {"intent": "list errors", "params": {"limit": 3}})["id"]
    page.get(f"{server.url}/ui/jobs/{answered}")
    claim("an answer comes, as a table", comes(page, "Result") and len(page.find_elements(By.CSS_SELECTOR, "[aria-label=Rows] tbody tr")) == 3, text(page))
    claim("with the template, its values and what it used", all(part in text(page) for part in ["sentry/list_errors", "limit=3", "Fuel", "of 100,000,000,000"]), text(page))
    shot(page, "job")
    accessible(page, "a job with an answer")
    press(page, "Submit again")
    claim("a button submits it again", until(page, lambda page: page.current_url != f"{server.url}/ui/jobs/{answered}") and comes(page, "Result"), page.current_url)
    refused = server.ask("/v1/jobs", {"code": "import http\nhttp.get('https://example.com/')"})["id"]
    page.get(f"{server.url}/ui/jobs/{refused}")
    claim("a refusal says what would allow it", comes(page, "base_url = \"https://example.com\""), text(page))
    accessible(page, "a job that failed")

    # What comes from outside is text.
    hostile = server.ask("/v1/jobs", {"code": f"print({HOSTILE!r})\nresult = [{{{HOSTILE!r}: {HOSTILE!r}}}]\n# {HOSTILE}", "labels": {"a": HOSTILE[:60]}})["id"]
    page.get(f"{server.url}/ui/jobs/{hostile}")
    shown = comes(page, "Result")
    claim("what a script prints and returns stays text", shown and page.title != "taken" and not page.find_elements(By.CSS_SELECTOR, "main img, main script"), page.title)
    page.get(f"{server.url}/?label=" + urllib.request.quote(HOSTILE))
    claim("and so does a query", page.title != "taken" and not page.find_elements(By.CSS_SELECTOR, "main img, main script"), page.title)

    # An intent.
    page.get(server.url + "/ui/try")
    shot(page, "try")
    accessible(page, "examples of intents")
    field = page.find_element(By.ID, "intent")
    field.send_keys("list 2 errors", Keys.ENTER)
    claim("an intent is read with its values, and nothing runs", comes(page, "The template sentry/list_errors answers this.") and "Answer" not in text(page), text(page))
    press(page, "Run it")
    claim("a button runs it", comes(page, "Answer ok") and len(page.find_elements(By.CSS_SELECTOR, "[aria-label=Rows] tbody tr")) == 2, text(page))
    shot(page, "try-ran")
    accessible(page, "an intent with its answer")
    field = page.find_element(By.ID, "intent")
    field.clear()
    field.send_keys("resolve issue WEB-1")
    press(page, "Run it")
    claim("a change is not made at once", comes(page, "changes something"), text(page))
    press(page, "Run it and allow the change")
    claim("but after another button, as far as the policy goes", comes(page, "Answer") and until(page, lambda page: "this call does not allow that" not in text(page)), text(page))

    # What there is, and how it went.
    page.get(server.url + "/ui/templates")
    rows = {row.find_element(By.TAG_NAME, "code").text: row.text for row in page.find_elements(By.CSS_SELECTOR, "tbody tr")}
    claim("templates are listed with their runs", re.search(r" [1-9]\d* \d+ \d+ ", rows.get("sentry/list_errors", "")), rows.get("sentry/list_errors"))
    shot(page, "templates")
    accessible(page, "templates")
    page.get(server.url + "/ui/trends")
    claim("trends have three plots and shares", len(page.find_elements(By.CSS_SELECTOR, "svg[role=img]")) == 3 and "template:" in text(page), text(page))
    shot(page, "trends")
    accessible(page, "trends")
    page.get(server.url + "/ui/refusals")
    claim("refusals are listed with the line that would allow them", "example.com" in text(page) and "policy.toml" in text(page), text(page))
    shot(page, "refusals")
    accessible(page, "refusals")
    page.get(server.url + "/ui/tools")
    claim("without tools it is said how to add some", "intentbox tools add" in text(page), text(page))
    accessible(page, "no tools")
    page.get(server.url + "/ui/jobs/nothing")
    claim("a job that is none is told", "no such job" in text(page), text(page))
    accessible(page, "no such job")
    page.get(server.url + "/")
    shot(page, "jobs")
    accessible(page, "jobs")

    # By keys.
    page.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    claim("the first key leads to a link over the menu", page.switch_to.active_element.text == "Skip to the content", page.switch_to.active_element.text)
    page.switch_to.active_element.send_keys(Keys.ENTER)
    claim("which leads to the content", page.switch_to.active_element.get_attribute("id") == "main")

    # Nothing from elsewhere, and nothing wrong.
    said = [entry["message"] for entry in page.get_log("browser") if "/ui/jobs/nothing" not in entry["message"]]
    claim("the browser says nothing about any of these pages", not said, said)
    reply = urllib.request.urlopen(server.url + "/")
    policy = reply.headers["content-security-policy"]
    claim("the policy of a page allows its own script and style, and nothing inline", "default-src 'none'" in policy and "unsafe" not in policy, policy)

    # A page of another site, with a form that goes here.
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(f"<form method=post action='{server.url}/ui/try'><input name=intent value='list errors'><button>go</button></form>".encode())

        def log_message(self, *_):
            pass

    other = http.server.HTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    page.get(f"http://127.0.0.1:{other.server_port}/")
    page.find_element(By.TAG_NAME, "button").click()
    claim("a form of another page on this machine runs nothing", until(page, lambda page: "came from another page" in page.page_source), page.page_source[:300])
    other.shutdown()

    for name, other in [("dark", browser(dark=True)), ("narrow", browser(narrow=True))]:
        with other:
            for path in ["/", f"/ui/jobs/{refused}", "/ui/try?intent=list+errors", "/ui/templates", "/ui/trends"]:
                other.get(server.url + path)
                accessible(other, f"{name} {path.split('?')[0].split(refused)[0]}")
                wide = other.execute_script("return document.documentElement.scrollWidth > innerWidth")
                claim(f"{name} {path.split('?')[0].split(refused)[0]} fits", not wide)
            other.get(server.url + "/")
            shot(other, name)

    with browser(script=False) as plain:
        plain.get(server.url + "/")
        claim("without script the list is there", "team=shop" in text(plain) and not plain.find_element(By.CLASS_NAME, "live").is_displayed(), text(plain))
        plain.find_element(By.CSS_SELECTOR, "#state option[value=''] ~ option:nth-of-type(5)").click()
        press(plain, "Show")
        claim("and can be filtered", until(plain, lambda page: "state=finished" in page.current_url) and "cancelled" not in plain.find_element(By.TAG_NAME, "tbody").text, plain.current_url)
        plain.get(server.url + "/ui/try")
        plain.find_element(By.ID, "intent").send_keys("list 2 errors")
        press(plain, "Run it")
        claim("and intents are run", comes(plain, "Answer ok"), text(plain))

# With servers that others wrote.
if not SERVERS.exists():
    sys.exit("the upstream servers are not installed: run tests/upstream/install")
server = Server()
entries = json.loads(SERVERS.read_text())["mcpServers"]
(server.home / ".mcp.json").write_text(json.dumps({"mcpServers": {name: entries[name] for name in ["git", "time"]}}))
server.command("tools", "trust", "--yes")
server.command("tools", "refresh")
with server, browser() as page:
    page.get(server.url + "/ui/tools")
    claim("tools are listed by their servers", "git_log" in text(page) and "get_current_time" in text(page), text(page))
    shot(page, "tools")
    accessible(page, "tools")
    page.get(server.url + "/ui/try?intent=current+time+in+Europe/Prague")
    claim("an intent that no template answers is read as a tool's", "The tool time: get_current_time does." in text(page), text(page))
    job = server.ask("/v1/jobs", {"intent": "current time in Europe/Prague"})["id"]
    page.get(f"{server.url}/ui/jobs/{job}")
    claim("its job shows the calls of tools", comes(page, "Calls of tools") and "time: get_current_time" in text(page), text(page))
    shot(page, "job-of-a-tool")
    accessible(page, "a job of a tool")

# With a server that does not answer until its time is over.
server = Server()
slow = {"command": "python3", "args": [str(FAULTY), "hang-start"], "intentbox": {"discovery_s": 15}}
own = server.home / ".config/intentbox/mcp.json"
own.parent.mkdir(parents=True)
own.write_text(json.dumps({"mcpServers": {"slow": slow}}))
(own.parent / "policy.toml").write_text('[exec]\ntools = ["slow: read-only"]\n')
with server, browser() as page:
    page.get(server.url + "/ui/tools")
    claim("a server that was never listed is told", "never" in text(page), text(page))
    asked = threading.Thread(target=server.ask, args=("/v1/tools/slow/refresh", {}))
    asked.start()
    claim("a discovery comes into the page while it goes on", comes(page, "Connecting."), text(page))
    shot(page, "discovering")
    claim("and its end", comes(page, "it did not answer within 15 s"), text(page))
    asked.join()

# With tokens.
with Server() as server, browser() as page:
    token = server.command("token", "create", "ada")["token"]
    page.get(server.url + "/")
    # The server reads every other second which tokens there are.
    until(page, lambda page: page.refresh() or "Sign in" in page.title)
    accessible(page, "signing in")
    shot(page, "sign-in")
    page.find_element(By.ID, "token").send_keys("ibx_wrong-token", Keys.ENTER)
    claim("a wrong token leads nowhere", until(page, lambda page: "Sign in" in page.title and not page.find_element(By.ID, "token").get_attribute("value")), page.title)
    page.find_element(By.ID, "token").send_keys(token, Keys.ENTER)
    claim("a token leads to one's jobs", until(page, lambda page: "Jobs" in page.title), page.title)
    claim("the page says whose they are", "ada" in page.find_element(By.TAG_NAME, "header").text)
    cookie = page.get_cookie("intentbox_token")
    claim("scripts do not see the token, and other sites do not send it", cookie["httpOnly"] and cookie["sameSite"] == "Strict" and "ibx_" not in page.execute_script("return document.cookie"), cookie)
    job = server.ask("/v1/jobs", {"code": "result = 1"}, token)["id"]
    claim("one's job comes into the list", comes(page, "finished"), text(page))
    page.get(server.url + "/ui/trends")
    claim("what concerns everybody needs another scope", "manage" in text(page), text(page))
    accessible(page, "not allowed")
    page.get(server.url + "/")
    press(page, "Sign out")
    claim("signing out ends it", until(page, lambda page: "Sign in" in page.title) and not page.get_cookie("intentbox_token"), page.title)

print(f"{held} claims hold, {failed} do not")
sys.exit(failed > 0)
