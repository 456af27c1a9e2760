# outcome: result_invalid
# message: result['rows'][1] is a float nan and cannot be serialized to JSON
{"rows": [1.0, float("nan")]}
