# outcome: ok
# result: null
if True:
    def answer():
        return 42
