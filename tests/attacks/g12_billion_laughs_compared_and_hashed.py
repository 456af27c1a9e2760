# row: G12
# outcome: fuel_exhausted
# flags: --fuel 2000000000
# about: comparing two shared structures is exponential native work and must burn fuel
a = b = ()
for _ in range(60):
    a, b = (a, a), (b, b)
a = (a, [1])
b = (b, [2])
hash(a[0])
a == b
