def first_factor(n):
    for d in range(2, n):
        if n % d == 0:
            break
    else:
        return None
    return d
print([(n, first_factor(n)) for n in (7, 9, 12, 13)])
attempts = 0
while attempts < 3:
    attempts += 1
    if attempts == 5:
        break
else:
    print("gave up after", attempts)
try:
    value = int("12")
except ValueError:
    print("no")
else:
    print("parsed", value)
finally:
    print("always")
seen = []
for i in range(10):
    if i % 2:
        continue
    if i > 6:
        break
    seen.append(i)
print(seen)
