# outcome: ok
# result: null
print("this is what the script is for")


class Row:
    """
of text that looks like a last line
"""
