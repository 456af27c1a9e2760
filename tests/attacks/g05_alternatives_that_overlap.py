# row: G05
# outcome: fuel_exhausted
# flags: --fuel 2000000000
# about: overlapping alternatives must burn fuel, or be linear
import re

re.search(r"^(?:a|aa|aaa|a?a?)*?c", "a" * 200) is None
