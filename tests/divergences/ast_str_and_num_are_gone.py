# cpython: "True True Constant\n"
# intentbox: "False False Constant\n"
import ast
import warnings
warnings.simplefilter("ignore")
print(hasattr(ast, "Num"), hasattr(ast, "Str"), type(ast.parse("1").body[0].value).__name__)
