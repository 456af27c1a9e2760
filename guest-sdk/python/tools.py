"""Tools of upstream servers: what `intentbox.tools` is, for scripts that import it by the name under which they use it."""

import sys as _sys

import intentbox.tools

_sys.modules[__name__] = intentbox.tools
