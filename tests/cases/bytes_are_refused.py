# outcome: result_invalid
# message: result[0] is a bytes, which JSON cannot say
[b"x"]
