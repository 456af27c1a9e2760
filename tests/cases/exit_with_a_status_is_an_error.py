# outcome: python_error
# message: 3
import sys

sys.exit(3)
