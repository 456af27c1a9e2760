# outcome: result_invalid
# message: result is a str with a lone surrogate, which JSON cannot say
"\ud800"
