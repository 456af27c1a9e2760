# outcome: ok
# result: ["é\nline 2\r\nlast",["é","line 2","last"],["é\n","lin","e 2","\r\nl","ast"],["é\n","ine 2\r\n","ast"],1,"utf-8",[],"é","ÿ",[1],["é"],["1.5"],[true,true,true,false,false,true],["Expecting value: line 1 column 7 (char 6)",6,"{\"a\": <html>",[true,true,true,true]]]
import requests


def reply(content, encoding="utf-8", status=200):
    made = requests.Response()
    made.status_code, made.encoding, made._content = status, encoding, content
    return made


text = reply("é\nline 2\r\nlast".encode())
result = [
    text.text, list(text.iter_lines(decode_unicode=True)), list(text.iter_content(3, decode_unicode=True)),
    [part.decode() for part in text.iter_lines(delimiter=b"l")], len(list(text)), text.apparent_encoding,
    list(reply(b"").iter_lines()), reply("é".encode("latin-1"), "latin-1").text, reply(b"\xff", None).text,
    reply(b"\xef\xbb\xbf[1]").json(), reply('["é"]'.encode("utf-16")).json(), reply(b"[1.5]").json(parse_float=str),
    [bool(reply(b"", status=status)) for status in (200, 304, 399, 400, 599, 600)],
]
try:
    reply(b'{"a": <html>').json()
except requests.exceptions.JSONDecodeError as error:
    import json
    kinds = json.JSONDecodeError, ValueError, OSError, requests.exceptions.RequestException
    result.append([str(error), error.pos, error.doc, [isinstance(error, kind) for kind in kinds]])
