# row: E08
# outcome: python_error
# about: exceptions outside Exception that leave the script are errors of the script
raise KeyboardInterrupt("now")
