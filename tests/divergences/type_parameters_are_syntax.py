# cpython: "SyntaxError\n"
# intentbox: "1\n"
try:
    exec("type Pair[T] = tuple[T, T]\ndef first[T](pair: Pair[T]) -> T: return pair[0]\nprint(first((1, 2)))")
except SyntaxError as error:
    print(type(error).__name__)
