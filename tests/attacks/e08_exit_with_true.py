# row: E08
# outcome: python_error
# about: False equals zero; either reading is fine as long as it is reported as such
raise SystemExit(False)
