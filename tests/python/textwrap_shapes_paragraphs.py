import textwrap
text = ("The sandbox runs one script and answers with one message. "
        "A very-long-hyphenated-word and https://example.com/a/path/that/does/not/break end it.")
print(textwrap.fill(text, 30))
print(textwrap.fill(text, 40, initial_indent="* ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))
print(textwrap.wrap("aaaa bbbb cccc", 9), textwrap.wrap("", 5), textwrap.wrap("abcdefghij", 4))
print(textwrap.shorten(text, 40, placeholder=" [...]"), "|", textwrap.shorten("short", 10))
code = """
    def f():
        return 1

    f()
"""
print(textwrap.dedent(code).strip())
print(textwrap.indent("a\n\nb\n", "> "), end="")
print(textwrap.indent("a\n\nb\n", "+ ", lambda line: True), end="")
