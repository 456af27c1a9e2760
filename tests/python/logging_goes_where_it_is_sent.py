import io
import logging
import sys
stream = io.StringIO()
logger = logging.getLogger("app.db")
logger.setLevel(logging.DEBUG)
handler = logging.StreamHandler(stream)
handler.setFormatter(logging.Formatter("%(levelname)-7s %(name)s:%(funcName)s %(message)s"))
logger.addHandler(handler)
logger.propagate = False
def work():
    logger.debug("start %s", "x")
    logger.info("%d rows in %.1fs", 3, 0.25)
    logger.warning("odd: %(key)s", {"key": "v"})
    try:
        1 / 0
    except ZeroDivisionError:
        logger.exception("failed")
work()
lines = stream.getvalue().splitlines()
print(*lines[:4], lines[-1], sep="\n")
print(logger.isEnabledFor(logging.INFO), logging.getLevelName(30), logger.parent.name, logging.getLogger("app.db") is logger)
handler.setLevel(logging.ERROR)
logger.info("dropped")
print(len(stream.getvalue().splitlines()) == len(lines))
class OnlyErrors(logging.Filter):
    def filter(self, record):
        return "keep" in record.getMessage()
out = logging.StreamHandler(sys.stdout)
out.addFilter(OnlyErrors())
plain = logging.getLogger("plain")
plain.addHandler(out)
plain.error("drop")
plain.error("keep %s", [1])
adapter = logging.LoggerAdapter(plain, {"id": 7})
adapter.error("keep adapter")
