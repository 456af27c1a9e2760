# row: E09
# outcome: ok
# flags: --fuel 10000000000
# about: interpreters without end meet the memory limit or are refused
try:
    import _interpreters

    while True:
        _interpreters.create()
except (ImportError, RuntimeError):
    pass
result = "ended"
