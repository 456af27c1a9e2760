# row: E09
# outcome: ok
# flags: --fuel 3000000000
# about: an interpreter inside the interpreter has the limits and the emptiness of the outer one
needle = "".join(["canary", "-7f3a"])
try:
    import _interpreters

    inner = _interpreters.create()
    failure = _interpreters.run_string(inner, "import os\nassert 'INTENTBOX_CANARY' not in os.environ\nopen('/etc/passwd')\n")
    if failure is None:
        raise SystemExit("a file of the host was opened")
    _interpreters.run_string(inner, "while True:\n    pass\n")
except (ImportError, RuntimeError, ValueError):
    pass
result = "ended"
