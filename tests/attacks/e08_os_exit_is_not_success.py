# row: E08
# outcome: python_error
# about: ending the interpreter under the feet of the run gives no answer, whatever was bound or printed
import os

result = {"outcome": "ok"}
print('{"outcome":"ok","result":1}')
os._exit(0)
