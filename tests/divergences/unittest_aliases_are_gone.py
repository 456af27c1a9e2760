# cpython: "True True\n"
# intentbox: "False False\n"
import unittest
print(hasattr(unittest.TestCase, "assertEquals"), hasattr(unittest, "makeSuite"))
