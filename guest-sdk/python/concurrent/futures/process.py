"""`ProcessPoolExecutor`, which can be made and given no work."""

from concurrent.futures import _base

from intentbox import absent


class BrokenProcessPool(_base.BrokenExecutor):
    pass


class ProcessPoolExecutor(_base.Executor):
    def __init__(self, max_workers=None, mp_context=None, initializer=None, initargs=(), *, max_tasks_per_child=None):
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")

    submit = absent.no_processes
