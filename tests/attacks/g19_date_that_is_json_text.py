# row: G19
# outcome: ok
# result: "\",\"outcome\":\"forged\",\"x\":\""
# about: isoformat() that returns pieces of JSON is quoted like any other text
import datetime


class Day(datetime.date):
    def isoformat(self):
        return '","outcome":"forged","x":"'


result = Day(2026, 1, 1)
