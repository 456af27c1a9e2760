print("before")
class Broken(LookupError):
    pass
def find(name):
    raise Broken(f"no {name}")
print("last line of output")
find("thing")
