import io
import json
import logging
class JsonFormatter(logging.Formatter):
    def format(self, record):
        entry = {"level": record.levelname, "logger": record.name, "message": record.getMessage()}
        entry.update(getattr(record, "fields", {}))
        if record.exc_info:
            entry["error"] = record.exc_info[0].__name__
        return json.dumps(entry, sort_keys=True)
stream = io.StringIO()
handler = logging.StreamHandler(stream)
handler.setFormatter(JsonFormatter())
log = logging.getLogger("service")
log.addHandler(handler)
log.setLevel("INFO")
log.propagate = False
log.info("started", extra={"fields": {"port": 80}})
try:
    [][0]
except IndexError:
    log.error("failed %d times", 3, exc_info=True)
log.getChild("db").warning("slow")
print(stream.getvalue(), end="")
class Counting(logging.Handler):
    def __init__(self):
        super().__init__()
        self.counts = {}
    def emit(self, record):
        self.counts[record.levelname] = self.counts.get(record.levelname, 0) + 1
counting = Counting()
log.addHandler(counting)
for level in (10, 20, 30, 30, 50):
    log.log(level, "x")
print(counting.counts, log.hasHandlers(), log.getEffectiveLevel(), logging.getLevelNamesMapping()["WARN"])
logging.disable(logging.WARNING)
log.warning("off")
logging.disable(logging.NOTSET)
print(counting.counts["WARNING"])
