# row: G06
# outcome: ok
# flags: --fuel 2000000000
# about: __eq__ that clears and refills the dictionary in the middle of a lookup must not reach freed entries
class Evil:
    def __init__(self, name):
        self.name = name

    def __hash__(self):
        return 7

    def __eq__(self, other):
        table.clear()
        for number in range(40):
            table[number] = object()
        return False


table = {}
for number in range(200):
    try:
        table[Evil(number)] = number
        table.pop(Evil(number), None)
        table.setdefault(Evil(number), 1)
        Evil(number) in table
    except (RuntimeError, KeyError):
        pass
result = "alive"
