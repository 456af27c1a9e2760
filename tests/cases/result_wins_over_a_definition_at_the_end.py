# outcome: ok
# result: "bound"
result = "bound"


def main():
    return "not called"
