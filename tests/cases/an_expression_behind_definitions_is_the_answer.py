# outcome: ok
# result: ["def main(): pass","class"]
class Row:
    pass


def main():
    return ["def main(): pass", Row.__class__.__name__.replace("type", "class")]


main()
