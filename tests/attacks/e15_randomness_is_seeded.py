# row: E15
# outcome: ok
# result: []
# about: within a run the sources of randomness differ from each other and from any fixed seed
import os, random, secrets, uuid

leaks = []
values = [random.getrandbits(64), random.SystemRandom().getrandbits(64), int.from_bytes(os.urandom(8), "big"), secrets.randbits(64), uuid.uuid4().int >> 64]
if len(set(values)) != len(values):
    leaks.append("equal")
for seed in (0, 1, 42):
    if random.Random(seed).getrandbits(64) in values:
        leaks.append(f"seed {seed}")
result = leaks
