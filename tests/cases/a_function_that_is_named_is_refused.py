# outcome: result_invalid
# message: result is a function and cannot be serialized to JSON
def main():
    return 42


main
