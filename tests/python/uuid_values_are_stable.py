import uuid
a = uuid.UUID("12345678-1234-5678-1234-567812345678")
print(a, a.hex, a.int, a.bytes[:4], a.urn, a.version, a.variant == uuid.RFC_4122, a.fields[0])
print(uuid.uuid5(uuid.NAMESPACE_DNS, "example.com"), uuid.uuid3(uuid.NAMESPACE_URL, "http://a/b"))
u = uuid.uuid4()
print(u.version, len(str(u)), uuid.UUID(str(u)) == u, u != uuid.uuid4(), uuid.UUID(int=5), uuid.UUID(bytes=bytes(16)))
print(sorted([uuid.UUID(int=3), uuid.UUID(int=1)])[0], {a: 1}[uuid.UUID(a.hex)], repr(a))
try:
    uuid.UUID("not a uuid")
except ValueError as error:
    print(error)
one = uuid.uuid1()
print(one.version, one.time > 0, isinstance(uuid.getnode(), int))
