# outcome: python_error
raise type("A" * 10_000_000, (Exception,), {})
