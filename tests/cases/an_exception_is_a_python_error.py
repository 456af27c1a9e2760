# outcome: python_error
# message: division by zero
def divide(a, b):
    return a / b


divide(1, 0)
