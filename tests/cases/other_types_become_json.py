# outcome: ok
# result: {"when":"2026-11-20T20:15:03+00:00","day":"2026-11-20","price":"19.90","pair":[1,2],"set":[7]}
import datetime
from decimal import Decimal

{
    "when": datetime.datetime(2026, 11, 20, 20, 15, 3, tzinfo=datetime.timezone.utc),
    "day": datetime.date(2026, 11, 20),
    "price": Decimal("19.90"),
    "pair": (1, 2),
    "set": {7},
}
