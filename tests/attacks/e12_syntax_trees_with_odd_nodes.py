# row: E12
# outcome: ok
# about: syntax trees with missing, mistyped and absurd fields are refused by compile() or crash the run
import ast

C, N = ast.Constant, ast.Name
load = ast.Load()
nodes = [C([]), C({}), C(object()), C(...), C(float("nan")), C((1, [2])), C(frozenset([1])), C(10**5000), C("\ud800"), N("", load), N("\0", load), N("None", load), N(5, load), N("x", ast.Store()), ast.Tuple([], ast.Store()), ast.Attribute(C(1), "", load), ast.Attribute(C(1), None, load),
         ast.BinOp(C(1), 5, C(2)), ast.BinOp(None, ast.Add(), None), ast.BoolOp(ast.And(), []), ast.Compare(C(1), [], []), ast.Compare(C(1), [ast.Lt()] * 3, [C(1)]), ast.Call(C(1), [None], []), ast.Call(N("f", load), [], [ast.keyword("a", C(1))] * 300), ast.Dict([None], [C(1), C(2)]), ast.Dict([C(1)], []),
         ast.Set([]), ast.ListComp(C(1), []), ast.Lambda(ast.arguments([], [], None, [], [], None, [C(1)] * 9), C(1)), ast.Lambda(ast.arguments([], [ast.arg("a")] * 300, None, [], [None] * 9, None, []), C(1)), ast.JoinedStr([C(1)]), ast.FormattedValue(C(1), 2**31 - 1), ast.FormattedValue(C(1), -5, C(5)), ast.Starred(C(1), load),
         ast.Slice(), ast.Subscript(C(1), ast.Slice(), load), ast.Yield(), ast.Await(C(1)), ast.NamedExpr(C(1), C(1)), ast.IfExp(C(1), None, C(1)), ast.expr(), ast.AST(), 5, None]
for node in nodes:
    for position in (None, -1, 0, 2**31 - 1, 2**40):
        tree = ast.Expression(node)
        try:
            ast.fix_missing_locations(tree)
            if position is not None:
                for inner in ast.walk(tree):
                    inner.lineno = inner.end_lineno = inner.col_offset = inner.end_col_offset = position
        except Exception:
            pass
        for act in (lambda: eval(compile(tree, "x", "eval"), {}), lambda: ast.unparse(tree), lambda: compile(tree, "x", "exec", 0x400), lambda: compile(tree, "x", "eval", optimize=2)):
            try:
                act()
            except (Exception, RecursionError):
                pass
result = "alive"
