import inspect
def double(n):
    # A comment stays.
    return n * 2
class Box:
    size = 3
    def grow(self, by=1):
        self.size += by
print(inspect.getsource(double))
print(inspect.getsource(Box.grow))
lines, start = inspect.getsourcelines(Box)
print(len(lines), start, lines[0].strip())
import traceback
def fails():
    raise KeyError("here")
try:
    fails()
except KeyError as error:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    print(frame.name, "|", frame.line)
    print(traceback.format_exc().splitlines()[-2].strip().startswith("raise KeyError"))
print(inspect.getcomments(double), inspect.getsourcefile(double) is not None)
