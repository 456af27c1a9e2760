import zoneinfo
zones = zoneinfo.available_timezones()
print("Europe/Paris" in zones, "UTC" in zones, len(zones) > 300, "posixrules" in zones)
for key in ("../etc/passwd", "/etc/localtime"):
    try:
        zoneinfo.ZoneInfo(key)
    except ValueError:
        print("ValueError")
from datetime import datetime
meeting = datetime(2025, 1, 20, 15, 0, tzinfo=zoneinfo.ZoneInfo("Europe/London"))
for name in ("America/Los_Angeles", "Asia/Kolkata", "Australia/Sydney"):
    print(f"{name:20} {meeting.astimezone(zoneinfo.ZoneInfo(name)):%a %H:%M %z}")
