# row: G03
# outcome: fuel_exhausted
# flags: --fuel 2000000000
# about: a quadratic helper of the standard library must burn fuel
import difflib

difflib.SequenceMatcher(None, "ab" * 30_000, "ba" * 30_000, autojunk=False).ratio()
