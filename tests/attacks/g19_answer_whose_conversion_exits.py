# row: G19
# outcome: python_error
# about: a date that raises SystemExit(0) while it is written does not count as success
import datetime


class Day(datetime.date):
    def isoformat(self):
        raise SystemExit(0)


result = Day(2026, 1, 1)
