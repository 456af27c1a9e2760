# row: G19
# outcome: result_invalid
# about: the class name in the refusal is the script's and may be megabytes long; the report stays small
result = type("\x1b]0;" + "N" * 5_000_000, (), {})()
