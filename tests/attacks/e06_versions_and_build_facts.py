# row: E06
# outcome: ok
# result: []
# about: what the interpreter says about its own build names no folder, user or host of the building machine
import platform, sys

leaks = []
for value in (sys.version, getattr(sys, "_git", ""), platform.python_build(), platform.python_compiler(), platform.python_revision(), sys.implementation, sys.float_info, sys.thread_info if hasattr(sys, "thread_info") else "", sys.builtin_module_names, sys.copyright):
    text = repr(value)
    for word in ("/root", "/home", "/crates", "/work", "/tmp", ".cargo", "@", "localhost"):
        if word in text:
            leaks.append(f"{word}: {text[:80]}")
result = leaks
