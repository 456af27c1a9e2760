"""Says hello, as often as asked."""

name = 'you'
times = 2

result = [f"Hello, {name}!" for _ in range(times)]
