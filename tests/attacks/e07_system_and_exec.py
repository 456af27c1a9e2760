# row: E07
# outcome: python_error
# about: os.system is absent
import os

os.system("touch /tmp/owned")
