def run(command, state):
    match command.split():
        case ["set", name, value]:
            state[name] = int(value)
        case ["add", name, *values] if values:
            state[name] = state.get(name, 0) + sum(map(int, values))
        case ["print"]:
            print(dict(sorted(state.items())))
        case ["del", ("a" | "b") as name]:
            state.pop(name, None)
        case [unknown, *_]:
            print("unknown", unknown)
        case _:
            print("empty")
state = {}
for line in ("set a 3", "add b 1 2 3", "print", "del a", "del c", "print", "add z", ""):
    run(line, state)
def evaluate(tree):
    match tree:
        case int() | float():
            return tree
        case ("+", *args):
            return sum(map(evaluate, args))
        case ("*", left, right):
            return evaluate(left) * evaluate(right)
        case ("neg", x):
            return -evaluate(x)
        case _:
            raise ValueError(f"cannot evaluate {tree!r}")
print(evaluate(("+", 1, ("*", 2, ("neg", 3)), 4)))
try:
    evaluate(("?", 1))
except ValueError as error:
    print(error)
