"""Files of granted directories: what `intentbox.files` has, for scripts that import it by the name under which they use it."""

from intentbox.files import *
from intentbox.files import __all__, __getattr__
