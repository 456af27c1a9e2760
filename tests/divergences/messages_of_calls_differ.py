# cpython: "abs() abs() takes exactly one argument (0 given)\n'a'.find() find() takes at least 1 argument (0 given)\n[].sort(1) sort() takes no positional arguments\nmap() map() must have at least two arguments.\nglobals(1) globals() takes no arguments (1 given)\nprint(sep=1) sep must be None or a string, not int\nexec(1) exec() arg 1 must be a string, bytes or code object\nb'a' + 'a' can't concat str to bytes\n"
# intentbox: "abs() abs expected 1 argument, got 0\n'a'.find() find expected at least 1 argument, got 0\n[].sort(1) sort expected 0 arguments, got 1\nmap() map expected 1 argument, got 0\nglobals(1) globals expected 0 arguments, got 1\nprint(sep=1) Expected type 'str' but 'int' found.\nexec(1) unexpected type int\nb'a' + 'a' a bytes-like object is required, not 'str'\n"
for code in ("abs()", "'a'.find()", "[].sort(1)", "map()", "globals(1)", "print(sep=1)", "exec(1)", "b'a' + 'a'"):
    try:
        eval(code) if not code.startswith("exec") else exec(1)
    except TypeError as error:
        print(code, error)
