# outcome: result_invalid
# message: result is a Thing and cannot be serialized to JSON
class Thing:
    pass


Thing()
