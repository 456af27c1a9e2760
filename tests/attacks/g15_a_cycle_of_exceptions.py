# row: G15
# outcome: python_error
# about: causes that lead back to themselves must not make the report endless
a, b = ValueError("a"), ValueError("b")
a.__context__, b.__context__ = b, a
a.__cause__, b.__cause__ = b, a
raise a
