import random
import secrets
import uuid
print(random.Random().random() != random.Random().random(), len({random.random() for _ in range(100)}))
print(len({uuid.uuid4() for _ in range(20)}), len(secrets.token_hex(8)), secrets.choice([1]) , 0 <= secrets.randbelow(10) < 10)
random.seed()
a = [random.random() for _ in range(3)]
random.seed()
print(a != [random.random() for _ in range(3)], secrets.compare_digest("a", "a"), len(secrets.token_urlsafe(16)) >= 20)
estimate = sum(random.random() ** 2 + random.random() ** 2 < 1 for _ in range(5000)) / 5000 * 4
print(2.9 < estimate < 3.4, 0 <= random.SystemRandom().random() < 1, len(random.randbytes(4)))
