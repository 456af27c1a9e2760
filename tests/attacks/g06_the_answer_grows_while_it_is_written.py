# row: G06
# outcome: result_limit
# about: a date in the result whose isoformat() appends to the result must meet the limit of the result
import datetime


class Day(datetime.date):
    def isoformat(self):
        result.append(Day(2026, 1, 1))
        return "x"


result = [Day(2026, 1, 1)]
