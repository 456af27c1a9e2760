# row: G15
# outcome: fuel_exhausted
# flags: --fuel 3000000000
# about: classes derived from classes: quadratic in memory and time, never a crash of the host
base = object
for number in range(100_000):
    base = type("C", (base,), {})
base().missing
