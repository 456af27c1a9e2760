# row: E01
# outcome: ok
# result: []
# about: extension loaders and the loader's private functions load nothing from outside
import _imp, importlib.machinery, importlib.util, sys

leaks = []
for name, path in (("libc", "/lib/x86_64-linux-gnu/libc.so.6"), ("x", "/tmp/x.so"), ("x", "libc.so.6"), ("x", "/proc/self/exe")):
    for act in (
        lambda: importlib.machinery.ExtensionFileLoader(name, path).create_module(importlib.util.spec_from_file_location(name, path)),
        lambda: _imp.create_dynamic(importlib.machinery.ModuleSpec(name, None, origin=path)),
        lambda: importlib.machinery.SourceFileLoader(name, path).get_code(name),
        lambda: importlib.machinery.SourcelessFileLoader(name, path).get_code(name),
    ):
        try:
            act()
            leaks.append(f"{name} {path}")
        except Exception:
            pass
for name in ("dlopen", "setdlopenflags", "_debugmallocstats"):
    if hasattr(sys, name):
        leaks.append(name)
result = leaks
