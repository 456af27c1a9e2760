from collections import UserDict, UserList, UserString, Counter, deque
class CaseInsensitive(UserDict):
    def __setitem__(self, key, value):
        super().__setitem__(key.lower(), value)
    def __getitem__(self, key):
        return super().__getitem__(key.lower())
    def __contains__(self, key):
        return super().__contains__(key.lower())
headers = CaseInsensitive({"Content-Type": "json"}, ACCEPT="x")
print(headers["content-TYPE"], "accept" in headers, headers.get("Accept"), sorted(headers), len(headers))
class History(UserList):
    def append(self, item):
        super().append(item)
        del self.data[:-3]
h = History()
for n in range(5):
    h.append(n)
print(h, h[0], h + [9], h.count(4))
print(UserString("abc").upper() + "d", "b" in UserString("abc"))
window, out = deque(maxlen=3), []
for n in [1, 2, 6, 9, 3]:
    window.append(n)
    if len(window) == 3:
        out.append(sum(window) / 3)
print(out)
print(Counter({"x": 1, "y": 3}) == Counter("yyyx"), deque("abc").index("c"), deque([1]) == deque([1]))
