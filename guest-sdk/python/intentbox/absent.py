"""What the sandbox does not have, and what to use instead: one sentence each, and the functions that say it."""

SOCKETS = "sockets are not available in the sandbox: use requests.get(url) or http.get(url) for granted origins"
THREADS = "threads are not available in the sandbox: call the function itself, or use asyncio for tasks that wait"
PROCESSES = "processes are not available in the sandbox: do the work in Python itself"
SIGNALS = "signals are not available in the sandbox: --timeout-ms bounds the run, asyncio.timeout() a wait in it"
TERMINAL = "a terminal is not available in the sandbox: values enter with --input, as params"
CTYPES = "ctypes is not available in the sandbox: there is no native code to call; struct packs and unpacks bytes"
SQLITE = "sqlite3 is not available in the sandbox: keep rows in lists and dictionaries; json, csv and shelve store them"
RETRIES = "let a loop repeat the request after time.sleep(seconds), as often as the run's budget of requests allows"
OPENERS = "openers and handlers are not available in the sandbox: use urlopen(Request(url, data, headers)) or requests"
URLLIB3 = f"urllib3 is not available in the sandbox: use requests or http for granted origins; for retries, {RETRIES}"
HTTPX = "httpx is not available in the sandbox: use requests or http, whose calls have much the same arguments"
AIOHTTP = "aiohttp is not available in the sandbox: use requests or http, one call after the other"


def refusal(kind, sentence):
    """Returns a function that takes any arguments and raises `kind(sentence)`."""

    def refuse(*arguments, **options):
        raise kind(sentence)

    return refuse


no_sockets = refusal(OSError, SOCKETS)
no_threads = refusal(RuntimeError, THREADS)
no_processes = refusal(OSError, PROCESSES)
no_signals = refusal(OSError, SIGNALS)
no_openers = refusal(NotImplementedError, OPENERS)
no_terminal = refusal(EOFError, TERMINAL)
