# row: E09
# outcome: ok
# about: code in another interpreter binds names of its own __main__ and does not become the answer
result = "mine"
try:
    import _interpreters

    inner = _interpreters.create()
    _interpreters.run_string(inner, "result = 'forged'\nimport sys\nsys.modules['__main__'].result = 'forged'\n")
    _interpreters.destroy(inner)
except (ImportError, RuntimeError, ValueError):
    pass
if result != "mine":
    raise SystemExit("forged")
