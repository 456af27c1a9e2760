# row: G19
# outcome: result_invalid
# about: isoformat() of a subclass may return anything: what is not text is refused
import datetime


class Day(datetime.date):
    def isoformat(self):
        return {"forged": 1}


result = Day(2026, 1, 1)
