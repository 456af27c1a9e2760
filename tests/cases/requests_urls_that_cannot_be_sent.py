# outcome: ok
# result: [["MissingSchema","Invalid URL '': No scheme supplied. Perhaps you meant https://?",true],["MissingSchema","Invalid URL 'example.com/x': No scheme supplied. Perhaps you meant https://example.com/x?",true],["MissingSchema","Invalid URL '/x': No scheme supplied. Perhaps you meant https:///x?",true],["InvalidURL","Invalid URL 'http://': No host supplied",true],["InvalidURL","Invalid URL 'http:///x': No host supplied",true],["InvalidURL","Invalid URL 'https:/x': No host supplied",true],["InvalidSchema","No connection adapters were found for 'ftp://example.com/': a URL is https://host/path or alias:/path",true],["InvalidSchema","No connection adapters were found for 'mailto:x@example.com': a URL is https://host/path or alias:/path",true],["InvalidSchema","No connection adapters were found for 'localhost:80/x': a URL is https://host/path or alias:/path",true],["MissingSchema","Invalid URL 'None': No scheme supplied. Perhaps you meant https://None?",true]]
import requests

result = []
for url in (
    "", "example.com/x", "/x", "http://", "http:///x", "https:/x", "ftp://example.com/", "mailto:x@example.com",
    "localhost:80/x", None,
):
    try:
        requests.get(url)
    except ValueError as error:
        result.append([type(error).__name__, str(error), isinstance(error, requests.RequestException)])
