# row: G19
# outcome: ok
# about: special decimals are text or refused, never bare words in the JSON
from decimal import Decimal

result = [Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("-0"), Decimal("1E+999999")]
