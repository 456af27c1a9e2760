import logging
import logging.config
import io
buffer = io.StringIO()
logging.basicConfig(stream=buffer, level=logging.INFO, format="{levelname}|{message}", style="{", force=True)
logging.info("one")
logging.debug("hidden")
logging.getLogger("child").error("two", extra={"k": 1})
print(buffer.getvalue().splitlines())
logging.config.dictConfig({
    "version": 1, "disable_existing_loggers": False,
    "formatters": {"f": {"format": "%(asctime)s %(name)s %(message)s", "datefmt": "%Y"}},
    "handlers": {"h": {"class": "logging.StreamHandler", "formatter": "f", "stream": buffer}},
    "loggers": {"configured": {"handlers": ["h"], "level": "WARNING", "propagate": False}},
})
logging.getLogger("configured").warning("three")
last = buffer.getvalue().splitlines()[-1]
print(last.split(" ", 1)[1], last[:4].isdigit())
import warnings
logging.captureWarnings(True)
warnings.warn("careful", UserWarning)
logging.captureWarnings(False)
print("careful" in buffer.getvalue())
record = logging.makeLogRecord({"msg": "m %s", "args": ("a",), "levelno": 40, "levelname": "ERROR"})
print(record.getMessage(), logging.Formatter("%(levelname)s").format(record))
