# cpython: "(3, 29) True\n"
# intentbox: "(calendar.THURSDAY, 29) True\n"
import calendar
first, days = calendar.monthrange(2024, 2)
print((first, days), first == 3)
