# row: E15
# outcome: ok
# result: true
# about: what one run can find of an earlier one: no names, files, modules or objects it did not make (run twice by the runner to compare)
import os, sys

marks = [name for name in ("left_by_run_a",) if name in sys.modules or name in os.environ or hasattr(__builtins__, name)]
sys.modules["left_by_run_a"] = sys
os.environ["left_by_run_a"] = "1"
setattr(sys, "left_by_run_a", 1)
int.__subclasses__()
result = not marks
