# outcome: result_invalid
# message: result is a str with a lone surrogate and cannot be serialized to JSON
"\ud800"
