import re
lines = ["user=ada", "broken", "user=grace", "id=7"]
for line in lines:
    if m := re.fullmatch(r"(\w+)=(\w+)", line):
        print(m[1], "->", m[2])
    else:
        print("skipped", line)
data = [3, 8, 1, 9]
print([half for n in data if (half := n / 2) > 1.4], half)
queue = [5, 4, 0, 3]
total = 0
while (item := queue.pop(0)):
    total += item
print(total, queue, item)
print(any((witness := n) > 7 for n in data), witness)
