# row: G10
# outcome: memory_limit
# flags: --memory-mib 96
# about: one ligature becomes eighteen letters when normalized; text that grows by a factor must meet the limit
import unicodedata

text = "\ufdfa" * 1_000_000
hoard = []
while True:
    hoard.append(unicodedata.normalize("NFKD", text))
