# cpython: "True\n"
# intentbox: "NotImplemented should not be used in a boolean context\n"
import warnings
warnings.simplefilter("ignore")
try:
    print(bool(NotImplemented))
except TypeError as error:
    print(error)
