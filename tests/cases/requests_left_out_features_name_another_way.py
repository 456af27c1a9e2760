# outcome: ok
# result: [["NotImplementedError","certificates are always checked, by the host and against its roots: leave verify out, or pass True"],["NotImplementedError","certificates are always checked, by the host and against its roots: leave verify out, or pass True"],["NotImplementedError","certificates are always checked, by the host and against its roots: leave verify out, or pass True"],["NotImplementedError","client certificates are not available in the sandbox: the host adds the credential of a granted origin"],["NotImplementedError","proxies are not available in the sandbox: the host opens connections itself; leave proxies out"],["NotImplementedError","files are not sent as multipart bodies in the sandbox: pass the bytes as data, with the Content-Type that the server expects"],["NotImplementedError","cookies are not available in the sandbox: the host sends none and keeps none; use an origin with a token, which the host adds"],["NotImplementedError","cookies are not available in the sandbox: the host sends none and keeps none; use an origin with a token, which the host adds"],["NotImplementedError","allow_redirects=False is not available in the sandbox: the host follows redirects, within the grant; leave it out, and look at response.url for where the reply came from"],["NotImplementedError","adapters are not available in the sandbox: the host makes the connections and keeps them; for retries, let a loop repeat the request after time.sleep(seconds), as often as the run's budget of requests allows"],["NotImplementedError","adapters are not available in the sandbox: the host makes the connections and keeps them; for retries, let a loop repeat the request after time.sleep(seconds), as often as the run's budget of requests allows"],["NotImplementedError","digest authentication is not available in the sandbox: the host adds the credential of a granted origin"],["AttributeError","module 'requests' has no attribute 'Request': a request is not prepared by hand here; use requests.request(method, url) or Session.request"],["AttributeError","module 'requests' has no attribute 'packages': urllib3 is not available in the sandbox: use requests or http for granted origins; for retries, let a loop repeat the request after time.sleep(seconds), as often as the run's budget of requests allows"]]
import requests
from requests.adapters import HTTPAdapter

site = "https://example.com/"
session = requests.Session()
session.verify = False
result = []
for act in (
    lambda: requests.get(site, verify=False),
    lambda: requests.get(site, verify="/ca.pem"),
    lambda: session.get(site),
    lambda: requests.get(site, cert="/client.pem"),
    lambda: requests.get(site, proxies={"https": "http://127.0.0.1:3128"}),
    lambda: requests.post(site, files={"file": b""}),
    lambda: requests.get(site, cookies={"a": "b"}),
    lambda: session.cookies.set("a", "b"),
    lambda: requests.get(site, allow_redirects=False),
    lambda: HTTPAdapter(max_retries=3),
    lambda: session.mount("https://", None),
    lambda: requests.auth.HTTPDigestAuth("user", "password"),
    lambda: requests.Request("GET", site),
    lambda: requests.packages,
):
    try:
        act()
        result.append("went on")
    except (NotImplementedError, AttributeError) as error:
        result.append([type(error).__name__, str(error)])
