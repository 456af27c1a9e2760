# row: E12
# outcome: python_error
# about: a SyntaxError with absurd positions leaves the script; showing it must not multiply blanks or index outside the line
raise SyntaxError("forged", ("\x1b[31m/etc/passwd", 2**62, 2**62, "é" * 100, 2**62, 2**62))
