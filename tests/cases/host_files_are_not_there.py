# outcome: ok
# result: "FileNotFoundError"
try:
    open("/etc/passwd")
except OSError as error:
    result = type(error).__name__
