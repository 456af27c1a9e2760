# cpython: "[<class 'decimal.ConversionSyntax'>]\nTrue\n"
# intentbox: "Invalid literal for Decimal: 'abc'\nTrue\n"
import decimal
try:
    decimal.Decimal("abc")
except decimal.InvalidOperation as error:
    print(error)
print(hasattr(decimal, "__libmpdec_version__"))
