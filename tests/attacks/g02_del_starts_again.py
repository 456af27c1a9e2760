# row: G02
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: finalizers that make the next object with a finalizer keep running for ever, metered
class Again:
    def __del__(self):
        try:
            total = sum(range(1000))
        finally:
            keep.append(Again())
            keep.pop(0)


keep = [Again()]
while True:
    keep.append(Again())
    keep.pop(0)
