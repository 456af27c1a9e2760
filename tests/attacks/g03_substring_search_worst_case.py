# row: G03
# outcome: fuel_exhausted
# flags: --fuel 2000000000
# about: searching a text built against the searcher is linear or burns fuel
text = "a" * 20_000_000
result = text.find("a" * 10_000_000 + "b" + "a" * 1_000_000)
