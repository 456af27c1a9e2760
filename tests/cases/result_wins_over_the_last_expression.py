# outcome: ok
# result: "bound"
result = "bound"
"last"
