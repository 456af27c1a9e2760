# outcome: result_invalid
# message: result is a Thing, which JSON cannot say
class Thing:
    pass


Thing()
