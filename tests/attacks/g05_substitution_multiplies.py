# row: G05
# outcome: memory_limit
# flags: --fuel 10000000000
# about: a substitution that turns each byte into a kilobyte, again and again, must meet the memory limit
import re

text = "a" * 1000
while True:
    text = re.sub("a", r"\g<0>" * 1000, text)
