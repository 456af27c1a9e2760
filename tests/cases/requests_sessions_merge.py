# outcome: ok
# result: [["https://example.com/?a=session&b=session",[["X-A","session"],["X-B","session"]]],["https://example.com/?a=session&b=own&c=own",[["X-B","session"],["X-C","own"],["x-a","own"]]],["https://example.com/?b=session",[["X-A","session"]]],["https://example.com/?only=1",[["X-A","session"],["X-B","session"]]],["https://example.com/",[]],["https://example.com/?q",[["X-A","session"],["X-B","session"],["X-Key","k"]]],["https://example.com/?a=session&b=session",[["Authorization","Basic dXNlcjpwYXNzd29yZA=="]]]]
import requests


def sent(session, **options):
    try:
        session.get("https://example.com/", **options)
    except requests.ConnectionError as error:
        return [error.request.url, sorted(error.request.headers.items())]


session = requests.session()
session.headers.update({"X-A": "session", "X-B": "session"})
session.params = {"a": "session", "b": "session"}
result = [
    sent(session),
    sent(session, params={"b": "own", "c": "own"}, headers={"x-a": "own", "X-C": "own"}),
    sent(session, params={"a": None}, headers={"X-B": None}),
    sent(session, params=[("only", 1)]),
    sent(requests.Session()),
]
session.auth = lambda request: request.headers.update({"X-Key": "k"}) or request
result.append(sent(session, params="q"))
session.auth = ("user", "password")
result.append(sent(session, headers={"X-A": None, "X-B": None}))
