# outcome: ok
# result: {"1":"a","2.5":"b","null":"c","x":"d"}
{1: "a", 2.5: "b", None: "c", "x": "d"}
