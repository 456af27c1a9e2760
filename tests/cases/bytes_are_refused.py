# outcome: result_invalid
# message: result[0] is a bytes and cannot be serialized to JSON
[b"x"]
