# outcome: ok
# result: [200,200,true,"OK",true,3,true,"sentry:/api/0/organizations/demo/issues/?limit=3","GET","application/json","utf-8",[],false,true,true,"<Response [200]>"]
import requests

with requests.Session() as session:
    session.headers["Accept"] = "application/json"
    session.params = {"limit": 3}
    url = "sentry:/api/0/organizations/demo/issues/"
    reply = session.get(url, params={"query": None}, timeout=(3, 10), stream=True)
reply.raise_for_status()
result = [
    reply.status_code, reply.status, reply.ok, reply.reason, bool(reply), len(reply.json()), "next" in reply.links,
    reply.url, reply.request.method, reply.headers["CONTENT-TYPE"], reply.encoding, reply.history, reply.is_redirect,
    b"".join(reply.iter_content(100)) == reply.content == reply.raw.read(), reply.elapsed.total_seconds() > 0,
    repr(reply),
]
