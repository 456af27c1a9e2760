# cpython: "date(2024, 13, 1) month must be in 1..12\ndate(2024, 2, 30) day is out of range for month\ntime(25) hour must be in 0..23\n"
# intentbox: "date(2024, 13, 1) month must be in 1..12, not 13\ndate(2024, 2, 30) day 30 must be in range 1..29 for month 2 in year 2024\ntime(25) hour must be in 0..23, not 25\n"
from datetime import date, datetime, time
for code in ("date(2024, 13, 1)", "date(2024, 2, 30)", "time(25)"):
    try:
        eval(code)
    except ValueError as error:
        print(code, error)
