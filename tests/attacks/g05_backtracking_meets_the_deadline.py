# row: G05
# outcome: deadline_exceeded
# flags: --timeout-ms 300 --fuel 10000000000000
# about: one native match must yield to the deadline
import re

re.match(r"(.*)*(.*)*(.*)*x", "y" * 200)
