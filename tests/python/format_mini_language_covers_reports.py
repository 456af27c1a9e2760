n, f = 1234567, 3.14159265
print(f"{n:,} {n:_} {n:>12} {n:<12}| {n:^12} {n:012d} {n:+d} {n:x} {n:#X} {n:b} {n:e}")
print(f"{f:.2f} {f:8.3f} {f:<8.1f}| {f:+.0f} {f:e} {f:.3g} {f:%} {0.256:.1%} {-f:08.2f}")
print(f"{'text':>10} {'text':*^10} {'truncate':.4} {'x':<3}|{True!s:>6} {None!r:>6}")
width, precision = 10, 2
print(f"{f:{width}.{precision}f} {f!r:>{width + 2}} {'a' + 'b'!r}")
print(f"{n=} {f=:.2f} {n + 1 = }")
print("{0} {1} {0} {name} {obj[key]} {items[1]}".format("a", "b", name="n", obj={"key": "v"}, items=[1, 2]))
print("{:>{w}}|{:{fill}<{w}}".format("r", "l", w=5, fill="."), "{{}} {!r}".format("q"))
print("%5d|%-5d|%05d|%x|%.2f|%s|%r|%%|%c|%+d" % (42, 42, 42, 255, f, "s", "r", "c", 3))
print("%(name)s is %(age)03d" % {"name": "ada", "age": 36})
print(format(1e10, ",.2f"), format(0.1, ".17f"), format(123, "c"), format(255, "#010b"), f"{1e-7} {1e22} {1.0}")
import datetime
print(f"{datetime.date(2024, 2, 29):%d/%m/%Y} {datetime.datetime(2024, 1, 2, 3, 4, 5):%H:%M:%S}")
