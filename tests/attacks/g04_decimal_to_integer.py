# row: G04
# outcome: memory_limit
# flags: --fuel 3000000000
# about: a decimal of nine characters whose integer has a billion digits
from decimal import Decimal

int(Decimal("1e999999999"))
