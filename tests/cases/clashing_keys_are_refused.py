# outcome: result_invalid
# message: result is a dict with two keys that JSON writes as "1" and cannot be serialized to JSON
{1: "a", "1": "b"}
