# outcome: ok
# result: [["urllib3","urllib3 is not available in the sandbox: use requests or http for granted origins; for retries, let a loop repeat the request after time.sleep(seconds), as often as the run's budget of requests allows"],["urllib3","urllib3 is not available in the sandbox: use requests or http for granted origins; for retries, let a loop repeat the request after time.sleep(seconds), as often as the run's budget of requests allows"],["requests.packages","urllib3 is not available in the sandbox: use requests or http for granted origins; for retries, let a loop repeat the request after time.sleep(seconds), as often as the run's budget of requests allows"],["httpx","httpx is not available in the sandbox: use requests or http, whose calls have much the same arguments"],["aiohttp","aiohttp is not available in the sandbox: use requests or http, one call after the other"]]
import importlib

result = []
for name in ("urllib3", "urllib3.util.retry", "requests.packages.urllib3", "httpx", "aiohttp"):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        result.append([error.name, str(error)])
