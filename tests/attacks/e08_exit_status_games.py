# row: E08
# outcome: python_error
# about: SystemExit with an object whose comparison says zero is not success
class Zero:
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __str__(self):
        return "0"


raise SystemExit(Zero())
