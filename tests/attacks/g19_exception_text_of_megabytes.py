# row: G19
# outcome: python_error
# about: text of an exception, its notes and its file names are cut
error = ValueError("m" * 50_000_000)
error.add_note("n" * 10_000_000)
raise error
