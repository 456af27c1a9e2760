# row: E10
# outcome: ok
# about: patching isoformat of the built-in dates is refused, or changes the text only
import datetime

try:
    datetime.date.isoformat = lambda self: 5
except TypeError:
    pass
datetime.date = datetime.datetime = dict
from datetime import date

result = {"d": date()}
