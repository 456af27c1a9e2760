# cpython: "SyntaxError\n"
# intentbox: "a, b xy\n"
try:
    print(eval("""f"{', '.join(["a", "b"])} {"x" + "y"}\""""))
except SyntaxError:
    print("SyntaxError")
