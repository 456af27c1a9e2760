# row: E10
# outcome: python_error
# about: the traceback in the report is made natively; patched helpers are not asked
import linecache, sys, traceback

linecache.getline = linecache.getlines = lambda *_, **__: 1 / 0
traceback.format_exception = traceback.print_exception = None
sys.tracebacklimit = -1
sys.excepthook = print
ValueError.__str__ = None if False else ValueError.__str__
raise ValueError("x")
