from decimal import Decimal, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, getcontext, localcontext, InvalidOperation, DivisionByZero
price, tax = Decimal("19.99"), Decimal("0.19")
total = price * (1 + tax)
print(total, total.quantize(Decimal("0.01"), ROUND_HALF_UP), Decimal("0.1") + Decimal("0.2") == Decimal("0.3"))
print([Decimal(x).quantize(Decimal("1"), ROUND_HALF_EVEN) for x in ("0.5", "1.5", "2.5")], Decimal("1.005").quantize(Decimal("0.01"), ROUND_UP))
print(Decimal(1) / 3, Decimal(0.1), Decimal("1E+3"), Decimal("1.2300").normalize(), Decimal("100").normalize())
with localcontext() as ctx:
    ctx.prec = 5
    print(Decimal(2).sqrt(), Decimal(1) / 7)
print(getcontext().prec, Decimal(2) ** 100, Decimal("-3.7") // 1, Decimal("-3.7") % 1, divmod(Decimal(7), 2))
print(f"{Decimal('1234567.891'):,.2f} {Decimal('0.5'):%} {Decimal('1e10'):f}", Decimal("3.14").as_tuple(), Decimal("5").is_zero())
print(sum([Decimal("0.10")] * 3), max(Decimal("1"), Decimal("1.5")), round(Decimal("2.675"), 2), int(Decimal("3.9")), float(Decimal("0.1")))
for action in ('Decimal("x")', "Decimal(1) / 0", "Decimal(-1).sqrt()"):
    try:
        eval(action)
    except (InvalidOperation, DivisionByZero) as error:
        print(type(error).__name__)
print(Decimal("NaN").is_nan(), Decimal("Infinity") > 10, Decimal("1.0") == Decimal("1.00"), hash(Decimal("1.0")) == hash(1), Decimal("2").compare(Decimal("3")))
print(Decimal(10).exp().quantize(Decimal("0.001")), Decimal(10).ln().quantize(Decimal("0.0001")), Decimal("1e-10"), Decimal("0.0000001"))
