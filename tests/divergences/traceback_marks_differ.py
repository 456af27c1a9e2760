# cpython: "           ~~^~~\n"
# intentbox: "    ~~~~~^^\n           ~~^~~\n"
import traceback
def fails():
    return 1 / 0
try:
    fails()
except ZeroDivisionError:
    print(*[line for line in traceback.format_exc().splitlines() if set(line.strip()) <= set("~^")], sep="\n")
