# row: E10
# outcome: ok
# result: "kept"
# about: streams that are closed, deleted, None or hostile at the end do not change the answer
import io, sys


class Hostile:
    @property
    def flush(self):
        raise SystemExit(3)

    closed = flush


result = "kept"
sys.stderr.close()
sys.stdout.close()
sys.stdout = Hostile()
sys.stderr = None
del sys.__stderr__
sys.__stdout__ = io.StringIO()
