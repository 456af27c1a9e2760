# row: G10
# outcome: python_error
# about: an indent of two billion blanks
import json

json.dumps([[1]], indent=2_000_000_000)
