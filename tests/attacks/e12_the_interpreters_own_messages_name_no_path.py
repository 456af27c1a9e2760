# row: E12
# outcome: python_error
# about: an error deep in the standard library shows module names in its traceback, not where the library lay when it was built
import json

json.loads("{", object_hook=5, cls=json.JSONDecoder)
