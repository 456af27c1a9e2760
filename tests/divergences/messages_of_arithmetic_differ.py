# cpython: "1 % 0 integer modulo by zero\n1.5 // 0 float floor division by zero\n0 ** -1 0.0 cannot be raised to a negative power\ndivmod(1, 0) integer division or modulo by zero\n"
# intentbox: "1 % 0 division by zero\n1.5 // 0 division by zero\n0 ** -1 zero to a negative power\ndivmod(1, 0) division by zero\n"
for code in ("1 % 0", "1.5 // 0", "0 ** -1", "divmod(1, 0)"):
    try:
        eval(code)
    except ZeroDivisionError as error:
        print(code, error)
