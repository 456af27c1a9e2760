# row: E12
# outcome: ok
# about: patterns, groups and positions that the compiler does not make or programs do not ask for
import re

for pattern in ("(?P<a>x)(?P=a)", "(?i:(?-i:x))", "(?<=x)(?<!y)", "(x)?(?(1)y|z)", "\\N{BULLET}", "[^\\s\\S]", "x{0,0}", "x{65535}", "(?:x{1,60000}){1,60000}", "x*+", "(?>x+)", "(?s:.)", "\\b\\B", "(?#", "[z-a]", "(?P<\ud800>x)", "\ud800", "(?P<x>)" * 200, "(" * 99 + ")" * 99, "()" * 1000, "|" * 1000, "\\777", "(?a)(?u)", "(?L)x"):
    for text in ("", "x", "x" * 100, "\ud800", "é" * 10):
        for act in (lambda: re.search(pattern, text), lambda: re.sub(pattern, "\\g<0>\\1", text), lambda: re.split(pattern, text, -5), lambda: re.findall(pattern, text), lambda: re.compile(pattern).match(text, 2**62, -(2**62)), lambda: re.compile(pattern).scanner(text, -1, 2**63).search(),
                    lambda: re.search(pattern, text).group(2**62), lambda: re.search(pattern, text).span(-1), lambda: re.search(pattern, text).expand("\\999"), lambda: re.compile(pattern.encode("latin-1", "ignore")).search(bytearray(b"x")), lambda: re.compile(pattern).fullmatch(text).groupdict(), lambda: re.compile(pattern, 2**31 - 1)):
            try:
                act()
            except (re.error, ValueError, IndexError, AttributeError, TypeError, OverflowError, RecursionError, KeyError):
                pass
result = "alive"
