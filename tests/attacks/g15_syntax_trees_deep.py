# row: G15
# outcome: ok stack_overflow
# about: a syntax tree built by hand, 50,000 levels deep, is compiled, dumped and unparsed
import ast

tree = ast.Constant(1)
for _ in range(50_000):
    tree = ast.UnaryOp(ast.USub(), tree)
expression = ast.fix_missing_locations(ast.Expression(ast.Constant(1)))
expression.body = tree
for act in (lambda: compile(expression, "x", "eval"), lambda: ast.dump(expression), lambda: ast.unparse(expression), lambda: ast.literal_eval(expression)):
    try:
        act()
    except (RecursionError, ValueError, TypeError):
        pass
result = "raised"
