# outcome: syntax_error
def f(:
