import http
from http import HTTPStatus
from http.cookies import SimpleCookie
print([(s.value, s.phrase) for s in HTTPStatus if s.value in (200, 204, 301, 404, 429, 500, 503)])
print(HTTPStatus.OK == 200, HTTPStatus(404).name, f"{HTTPStatus.CREATED:d}")
try:
    HTTPStatus(799)
except ValueError as error:
    print(error)
cookie = SimpleCookie()
cookie["id"] = "a b"
cookie["id"]["path"] = "/"
cookie["id"]["max-age"] = 60
cookie["id"]["httponly"] = True
print(cookie.output(), cookie["id"].coded_value)
parsed = SimpleCookie("a=1; b=\"two\"")
print({k: m.value for k, m in parsed.items()})
from http.client import responses, HTTPMessage
print(responses[418], responses[200], http.client.HTTPException.__name__)
from urllib.robotparser import RobotFileParser
robots = RobotFileParser()
robots.parse("User-agent: *\nDisallow: /private\nAllow: /".splitlines())
print(robots.can_fetch("bot", "/private/x"), robots.can_fetch("bot", "/public"))
