# outcome: result_invalid
# message: result is a function, which JSON cannot say
def main():
    return 42


main
