class Money:
    def __init__(self, cents):
        self.cents = cents
    def __format__(self, spec):
        if spec == "short":
            return f"{self.cents // 100}"
        return format(self.cents / 100, spec or ".2f") + " EUR"
    def __str__(self):
        return "money"
    def __repr__(self):
        return f"Money({self.cents})"
m = Money(123456)
print(f"{m} {m:,.1f} {m:short} {m!s} {m!r} {[m]}")
try:
    f"{object():x}"
except TypeError as error:
    print("TypeError", "unsupported format string" in str(error))
for spec, value in (("d", "text"), ("z", 3), (",", "a")):
    try:
        format(value, spec)
    except ValueError as error:
        print("ValueError")
import string
template = string.Template("$who owes ${amount} and $$5 to $other")
print(template.safe_substitute(who="Ada", amount=3))
try:
    template.substitute(who="Ada")
except KeyError as error:
    print("missing", error)
print(string.ascii_lowercase[:5], string.digits, string.hexdigits[-6:], string.capwords("the old man"))
