def area(width, height, /, *, unit="cm", scale=1):
    return f"{width * height * scale}{unit}"
print(area(2, 3), area(2, 3, unit="m"), area(2, 3, scale=2))
for call in ("area(width=2, height=3)", "area(2, 3, 'm')", "area(2)", "area(2, 3, colour='red')"):
    try:
        eval(call)
    except TypeError as error:
        print(call, "->", error)
def mutable(item, bucket=[]):
    bucket.append(item)
    return bucket
print(mutable(1), mutable(2), mutable(3, []))
def annotated(a: int, b: "str" = "x") -> list[int]:
    return [a]
print(annotated.__annotations__["a"], annotated.__defaults__, area.__kwdefaults__)
