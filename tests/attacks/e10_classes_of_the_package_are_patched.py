# row: E10
# outcome: python_error
# about: a script that makes its own error look like a refusal is still an error of the script: no refusal happened
import intentbox


class Fake(intentbox.CapabilityDenied):
    pass


intentbox.CapabilityDenied.__init__ = lambda self, *_: None
raise Fake("forged", "add everything to http")
