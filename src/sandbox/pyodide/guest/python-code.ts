/** Python: code of the model as a function that can be awaited, with the value of its last expression. */
export const PYTHON_CODE = `
class Rewriter(ast.NodeTransformer):
    """Looks at the top level alone: into blocks, and not into functions and classes."""

    def __init__(self, replaces_returns):
        self.replaces_returns = replaces_returns
        self.has_return = False

    def leave(self, node):
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = leave

    def visit_Return(self, node):
        self.has_return = True
        if not self.replaces_returns:
            return self.generic_visit(node)
        value = node.value or ast.Constant(None)
        return self.visit(ast.copy_location(ast.Expr(value), node))

    def visit_AnnAssign(self, node):
        """In a function, a global name cannot have an annotation."""
        if self.replaces_returns or not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return self.visit(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_Call(self, node):
        """asyncio.run(main()) is what scripts end with; here a loop runs already."""
        self.generic_visit(node)
        function = node.func
        is_run = isinstance(function, ast.Attribute) and function.attr == "run" and isinstance(function.value, ast.Name) and function.value.id == "asyncio"
        return ast.copy_location(ast.Await(node.args[0]), node) if is_run and node.args else node


def stored_names(code):
    """Names that code binds at its top level."""
    return {each.argval for each in dis.get_instructions(code) if each.opname in ("STORE_NAME", "DELETE_NAME", "STORE_GLOBAL")}


def compile_tree(tree, file):
    return compile(ast.fix_missing_locations(tree), file, "exec", flags=PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


def prepare(text, file):
    """Code that runs as a module, or as a function if it returns, and the names that it binds."""
    parse = lambda: compile(text, file, "exec", flags=PyCF_ONLY_AST | PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    tree = parse()
    rewriter = Rewriter(True)
    module = rewriter.visit(tree)
    keep_last(module.body)
    code = compile_tree(module, file)
    names = stored_names(code) - {LAST}
    if not rewriter.has_return:
        return code, names, False
    body = Rewriter(False).visit(parse()).body
    keep_last(body)
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    function = ast.AsyncFunctionDef(STEP, arguments, [ast.Global(sorted(names | {LAST})), *body], [], type_params=[])
    return compile_tree(ast.Module([function], []), file), names, True


def keep_last(body):
    if body and isinstance(body[-1], ast.Expr):
        body[-1] = ast.copy_location(ast.Assign([ast.Name(LAST, ast.Store())], body[-1].value), body[-1])
`;
