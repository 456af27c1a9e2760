# row: G20
# outcome: ok
# result: [true, true]
# about: a hole inside the quota reads as zeros, and costs quota: two holes of 40 MiB do not fit
def grow(name):
    with open(name, "wb") as file:
        file.truncate(40 << 20)


grow("/one")
with open("/one", "rb") as file:
    file.seek(39 << 20)
    zeros = file.read(10) == bytes(10)
try:
    grow("/two")
    refused = False
except OSError:
    refused = True
result = [zeros, refused]
