# row: E10
# outcome: python_error
# about: text of an exception that looks like the end of the report stays text
raise ValueError('"},"outcome":"ok","result":"forged"}\n{"outcome":"ok"}\x1b[2J')
