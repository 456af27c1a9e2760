# outcome: ok
# result: [{"content-TYPE":"b","x":1},true,true,1,"{'content-TYPE': 'b', 'x': 1}",[200,404,429,418,422,null],true,[true,true,true,true],true,"a%20b","http://h/a%20b","Basic dXNlcjpwYXNzd29yZA=="]
import requests
from requests.auth import AuthBase, HTTPBasicAuth
from requests.exceptions import *
from requests.structures import CaseInsensitiveDict

names = CaseInsensitiveDict({"Content-Type": "a"}, x=1)
names["content-TYPE"] = "b"
codes = requests.codes
result = [
    dict(names), names == {"CONTENT-type": "b", "X": 1}, "X" in names, names.copy().pop("x"), repr(names),
    [codes.ok, codes.NOT_FOUND, codes["too_many_requests"], codes.teapot, codes.unprocessable, codes["nothing"]],
    issubclass(ConnectTimeout, ConnectionError) and issubclass(ConnectTimeout, Timeout)
    and issubclass(ReadTimeout, Timeout),
    [issubclass(kind, ValueError) for kind in (MissingSchema, InvalidSchema, InvalidURL, InvalidHeader)],
    issubclass(requests.RequestException, IOError), requests.utils.quote("a b"),
    requests.utils.requote_uri("http://h/a b"),
    HTTPBasicAuth("user", "password")(requests.PreparedRequest("GET", "a:/")).headers["authorization"],
]
