# outcome: ok
# result: null
def main():
    return "not called"
