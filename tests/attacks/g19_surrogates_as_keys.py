# row: G19
# outcome: result_invalid
# about: a key with a lone surrogate is refused
result = {"ok": 1, "\udc80\ud800": 2}
