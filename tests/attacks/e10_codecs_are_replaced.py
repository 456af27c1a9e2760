# row: E10
# outcome: ok
# result: "plain é text"
# about: a replaced codec for UTF-8 does not touch the answer
import codecs, encodings


def search(name):
    return codecs.CodecInfo(lambda *_: (b"forged", 6), lambda *_: ("forged", 6), name=name)


codecs.register(search)
encodings._cache.clear()
encodings.search_function = search
result = "plain é text"
