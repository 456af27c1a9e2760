from datetime import datetime, timedelta, timezone
utc = datetime(2024, 3, 10, 12, 0, tzinfo=timezone.utc)
ist = timezone(timedelta(hours=5, minutes=30), "IST")
print(utc.astimezone(ist), utc.astimezone(ist).tzname(), utc.utcoffset(), timezone(timedelta(hours=-3)))
print(utc == utc.astimezone(ist), utc.timestamp(), datetime.fromtimestamp(0, timezone.utc), datetime.fromtimestamp(1.5, ist))
naive = datetime(2024, 3, 10, 12)
try:
    naive < utc
except TypeError as error:
    print(error)
print(naive == utc, naive.replace(tzinfo=timezone.utc) == utc, utc.strftime("%z %Z"))
print(utc.isoformat(), utc.astimezone(ist).isoformat(), (utc - utc.astimezone(ist)).total_seconds())
epoch = 1_700_000_000
moment = datetime.fromtimestamp(epoch, tz=timezone.utc)
print(moment, int(moment.timestamp()) == epoch, moment.date(), moment.timetz())
