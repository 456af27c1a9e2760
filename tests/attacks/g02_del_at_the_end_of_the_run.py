# row: G02
# outcome: ok
# flags: --fuel 1000000000
# result: "done"
# about: an object left over with an endless finalizer is either metered or never finalized; the answer stays "done"
class Endless:
    def __del__(self):
        while True:
            pass


left_over = Endless()
cycle = [left_over]
cycle.append(cycle)
result = "done"
