# outcome: result_invalid
# message: result['rows'][1] is a float nan, which JSON cannot say
{"rows": [1.0, float("nan")]}
