# row: E10
# outcome: python_error
# flags: --fuel 2000000000
# about: hooks on the package's exceptions cannot turn an error of the script into a refusal that the host did not record
import intentbox


class Meta(type):
    def __instancecheck__(cls, other):
        return True

    def __subclasscheck__(cls, other):
        return True


for cls in (intentbox.CapabilityDenied, intentbox.HostCallFailed):
    try:
        cls.__class__ = Meta
    except TypeError:
        pass
    try:
        cls.__bases__ = (Exception,)
    except TypeError:
        pass
raise ValueError("mine")
