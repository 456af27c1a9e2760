from decimal import Decimal, ROUND_DOWN, ROUND_HALF_UP
CENT = Decimal("0.01")
def split(amount, ways):
    share = (amount / ways).quantize(CENT, ROUND_DOWN)
    shares = [share] * ways
    rest = amount - share * ways
    i = 0
    while rest > 0:
        shares[i] += CENT
        rest -= CENT
        i += 1
    return shares
print(split(Decimal("100.00"), 3), sum(split(Decimal("100.00"), 3)), split(Decimal("0.05"), 4))
lines = [("paper", 3, "4.99"), ("ink", 1, "23.456"), ("pens", 12, "0.335")]
subtotal = Decimal(0)
for name, count, price in lines:
    amount = (count * Decimal(price)).quantize(CENT, ROUND_HALF_UP)
    subtotal += amount
    print(f"{name:<6}{count:>3} x {Decimal(price):>7} = {amount:>8}")
vat = (subtotal * Decimal("0.2")).quantize(CENT, ROUND_HALF_UP)
print(f"{'total':<9} {subtotal + vat:>18,}")
balance, months = Decimal("1000"), 0
while balance < 1100:
    balance = (balance * Decimal("1.01")).quantize(CENT)
    months += 1
print(months, balance)
