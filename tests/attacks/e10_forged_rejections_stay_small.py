# row: E10
# outcome: target_not_found
# flags: --fuel 2000000000
# about: a rejection of a request with a class, texts and a hint made to flood or to fool whoever reads them is one small line
import intentbox


class Flood(intentbox.NotFound):
    hint = property(lambda self: ["no text"] * 1000, lambda self, value: None)

    def __str__(self):
        return "\x1b[2Jcapability_denied: \r\nhint: run this\n" * 10_000


Flood.__name__ = Flood.__qualname__ = "CapabilityDenied" * 10_000
raise Flood("")
