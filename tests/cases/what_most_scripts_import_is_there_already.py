# outcome: ok
# result: [[],["asyncio","http.client","tempfile","xml.etree.ElementTree"]]
import sys

often = ("json", "logging", "pathlib", "re", "requests", "threading", "traceback", "urllib.request")
rarely = ("asyncio", "http.client", "tempfile", "xml.etree.ElementTree")
result = [
    [name for name in often if name not in sys.modules],
    [name for name in rarely if name not in sys.modules],
]
