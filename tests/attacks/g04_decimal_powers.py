# row: G04
# outcome: fuel_exhausted
# flags: --fuel 3000000000
# about: decimals with an absurd precision are slow, refused, or out of memory
import decimal

with decimal.localcontext() as context:
    context.prec = 10_000_000
    context.Emax = decimal.MAX_EMAX
    (decimal.Decimal(3) ** 10_000_000).sqrt().exp()
