import calendar
from datetime import date, timedelta
def add_months(day, months):
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
print([str(add_months(date(2024, 1, 31), n)) for n in (1, 2, 13, -2)])
print(calendar.isleap(2024), calendar.monthrange(2024, 2)[1], calendar.leapdays(2000, 2025), calendar.day_name[0], calendar.month_abbr[12])
print(calendar.month(2024, 2))
def business_days(start, end):
    day, count = start, 0
    while day < end:
        count += day.weekday() < 5
        day += timedelta(days=1)
    return count
print(business_days(date(2024, 1, 1), date(2024, 2, 1)))
monday = date(2024, 5, 16) - timedelta(days=date(2024, 5, 16).weekday())
print(monday, [(monday + timedelta(days=n)).strftime("%a %d") for n in range(5)])
print(calendar.timegm((2024, 1, 1, 0, 0, 0)), calendar.Calendar().monthdayscalendar(2024, 9)[0])
quarters = {}
for month in range(1, 13):
    quarters.setdefault((month - 1) // 3 + 1, []).append(calendar.month_name[month][:3])
print(quarters)
