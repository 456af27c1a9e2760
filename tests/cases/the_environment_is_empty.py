# outcome: ok
# result: {}
import os

dict(os.environ)
