import ast
tree = ast.parse("total = price * (1 + tax)\nif total > 10:\n    print('dear')\n")
print(sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}), [type(n).__name__ for n in tree.body])
print(ast.dump(tree.body[0]))
print(ast.unparse(tree))
print(ast.literal_eval("{'a': [1, 2.5, (True, None)], 'b': -3}"))
for bad in ("__import__('os')", "1 + x", "[1,"):
    try:
        ast.literal_eval(bad)
    except (ValueError, SyntaxError) as error:
        print(type(error).__name__)
class Fold(ast.NodeTransformer):
    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant):
            value = eval(compile(ast.Expression(node), "<fold>", "eval"))
            return ast.copy_location(ast.Constant(value), node)
        return node
print(ast.unparse(ast.fix_missing_locations(Fold().visit(ast.parse("x = 2 * 3 + y * (4 - 1)")))))
class Calls(ast.NodeVisitor):
    def __init__(self): self.names = []
    def visit_Call(self, node):
        self.names.append((ast.unparse(node.func), node.lineno, len(node.args)))
        self.generic_visit(node)
calls = Calls()
calls.visit(ast.parse("a(b(1), 2)\nobj.method(x=3)"))
print(calls.names)
function = ast.parse("def f(a, b=1, *c, d, **e):\n    'doc'\n    return a").body[0]
print(ast.get_docstring(function), [arg.arg for arg in function.args.args], function.args.vararg.arg, function.end_lineno)
