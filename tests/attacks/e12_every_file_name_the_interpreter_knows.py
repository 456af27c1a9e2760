# row: E12
# outcome: ok
# result: []
# about: no module, function or code object of the standard library names a folder of the building machine
import sys, types

leaks = set()
for name in ("json", "re", "asyncio", "email", "logging", "unittest", "http.client", "xml.etree.ElementTree", "importlib", "encodings", "collections", "ctypes.util", "sysconfig", "_sysconfigdata", "site", "platform", "zipfile", "venv", "ensurepip"):
    try:
        __import__(name)
    except Exception:
        pass
for name, module in list(sys.modules.items()):
    texts = [repr(module)]
    for key, value in list(vars(module).items()):
        if isinstance(value, (str, list, dict, tuple)) and len(texts) < 500:
            texts.append(repr(value)[:5000])
        code = getattr(value, "__code__", None)
        texts.append(str(getattr(code, "co_filename", "")))
    for text in texts:
        for word in ("/root/", "/crates/", "/.cargo/", "/home/", "/guest-sdk/", "registry/src", "/rustc/"):
            if word in text and name != "__main__":
                leaks.add(f"{name}: {word} {text[max(0, text.find(word) - 20):][:80]}")
result = sorted(leaks)
