# row: E13
# outcome: ok
# result: []
# about: pickles that call os.system, open or exec run inside the sandbox, where those do nothing
import io, pickle, pickletools

leaks = []
needle = "".join(["canary", "-7f3a"])
for data in (
    b"cos\nsystem\n(S'id'\ntR.",
    b"cbuiltins\nopen\n(S'/etc/passwd'\ntR.",
    b"cbuiltins\nexec\n(S'import os; os.environ[\"HOME\"]'\ntR.",
    b"cposix\nsystem\n(S'id'\ntR.",
    b"csubprocess\ncheck_output\n(S'id'\ntR.",
    b"c_posixsubprocess\nfork_exec\n(tR.",
    b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x17__import__('os').getppid\x85R.",
):
    for load in (pickle.loads, lambda d: pickle._loads(d) if hasattr(pickle, "_loads") else None, lambda d: pickle.Unpickler(io.BytesIO(d)).load()):
        try:
            value = load(data)
            if value is not None and "built-in" not in repr(value):
                leaks.append(repr(value)[:40])
        except BaseException:
            pass
result = leaks
