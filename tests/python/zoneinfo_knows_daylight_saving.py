from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError
berlin, new_york = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
for month in (1, 7):
    moment = datetime(2024, month, 15, 12, tzinfo=berlin)
    print(moment, moment.tzname(), moment.utcoffset(), moment.dst(), moment.astimezone(new_york))
before = datetime(2024, 3, 30, 12, tzinfo=berlin)
print(before + timedelta(days=1), (before + timedelta(days=1)).astimezone(timezone.utc) - before.astimezone(timezone.utc))
twice = datetime(2024, 10, 27, 2, 30, tzinfo=berlin)
print(twice.utcoffset(), twice.replace(fold=1).utcoffset())
print(datetime(2024, 5, 1, 9, tzinfo=ZoneInfo("Asia/Tokyo")).astimezone(ZoneInfo("UTC")), str(berlin), berlin.key, berlin is ZoneInfo("Europe/Berlin"))
try:
    ZoneInfo("Mars/Olympus")
except ZoneInfoNotFoundError as error:
    print(type(error).__name__)
