items = [3, 1, 2]
items.append(5)
items.insert(1, 9)
items.extend(range(2))
print(items, items.index(9), items.count(1), 5 in items)
print(items.pop(), items.pop(0), items)
items.remove(9)
items.reverse()
print(items)
items[1:3] = ["x", "y", "z"]
items[::2] = [0] * len(items[::2])
print(items)
copy, alias = items[:], items
alias.clear()
print(items, copy)
for action in ("[].pop()", "[1].remove(2)", "[1][5]", "[1].index(3)"):
    try:
        eval(action)
    except (IndexError, ValueError) as error:
        print(type(error).__name__)
nested = [[0]] * 2
nested[0].append(1)
print(nested, [1, 2] < [1, 3] < [2], [1, 2] + [3], [0] * 3)
stack, queue = [1, 2], [1, 2]
stack.append(3); queue.append(3)
print(stack.pop(), queue.pop(0))
