"""A program with one slip in it: every small change of its syntax tree that is worth a try."""

import ast
import textwrap
from collections.abc import Iterator

OPERATORS = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mod, ast.Div),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
EITHER_WAY = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr)
COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq, ast.LtE),
    ast.NotEq: (ast.Eq, ast.Gt),
}
OTHERS = {
    "sin": "cos",
    "cos": "sin",
    "max": "min",
    "min": "max",
    "sum": "mean",
    "mean": "sum",
    "argmax": "argmin",
    "softmax": "log_softmax",
    "log_softmax": "softmax",
    "sqrt": "square",
    "square": "abs",
    "exp": "log",
    "stack": "cat",
    "total": "__len__",
}
MODULES = ("math", "torch")


def mutants(code: str) -> Iterator[str]:
    """The program with each single change, none of them twice."""
    tree = ast.parse(textwrap.dedent(code))
    inputs = [argument.arg for argument in tree.body[-1].args.args]
    seen = {ast.unparse(tree)}
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            held = value if isinstance(value, list) else [value]
            for place, node in enumerate(held):
                for new in changes(node, inputs):
                    changed = [*held[:place], *new, *held[place + 1 :]]
                    setattr(parent, field, changed if isinstance(value, list) else changed[0])
                    mutant = ast.unparse(ast.fix_missing_locations(tree))
                    setattr(parent, field, value)
                    if mutant not in seen:
                        seen.add(mutant)
                        yield mutant


def changes(node: object, inputs: list[str]) -> Iterator[list[ast.AST]]:
    """What may stand in the place of a node: one other node, or for a statement, none or more."""
    if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store):
        yield from ([other] for other in other_expressions(node, inputs))
    match node:
        case ast.Assign() | ast.AugAssign() | ast.Expr() | ast.Break():
            yield [ast.Pass()]
        case ast.If(test, body, orelse):
            yield body
            yield orelse or [ast.Pass()]
            yield [ast.If(not_(test), body, orelse)]
        case ast.While(test, body):
            yield [ast.While(not_(test), body, [])]
        case ast.Slice(lower, upper, step):
            yield [ast.Slice(None, upper, step)]
            yield [ast.Slice(lower, None, step)]
        case ast.comprehension(target, source, [_, *_]):
            yield [ast.comprehension(target, source, [], 0)]
    if isinstance(node, ast.AugAssign):
        yield [ast.Assign([node.target], node.value)]
        yield [
            ast.AugAssign(node.target, other(), node.value) for other in OPERATORS[type(node.op)]
        ]


def other_expressions(node: ast.expr, inputs: list[str]) -> Iterator[ast.expr]:
    match node:
        case ast.BinOp(left, op, right):
            yield from (ast.BinOp(left, other(), right) for other in OPERATORS.get(type(op), ()))
            yield from (left, right)
            if not isinstance(op, EITHER_WAY):
                yield ast.BinOp(right, op, left)
        case ast.Compare(left, [op], [right]):
            yield from (ast.Compare(left, [o()], [right]) for o in COMPARISONS.get(type(op), ()))
        case ast.BoolOp(_, values):
            yield from values
        case ast.UnaryOp(ast.USub(), ast.Constant(number)):
            yield from map(constant, other_numbers(-number))
        case ast.UnaryOp(_, operand):
            yield operand
        case ast.Constant(bool(truth)):
            yield ast.Constant(not truth)
        case ast.Constant(int(number) | float(number)):
            yield from map(constant, other_numbers(number))
        case ast.IfExp(test, body, orelse):
            yield from (body, orelse, ast.IfExp(not_(test), body, orelse))
        case ast.Subscript(value) | ast.Attribute(value, "T" | "mT"):
            yield value
        case ast.Tuple(parts) | ast.List(parts):
            for i in range(len(parts) - 1):
                swapped = [*parts[:i], parts[i + 1], parts[i], *parts[i + 2 :]]
                yield type(node)(swapped, ast.Load())
            if isinstance(node, ast.List):
                yield from (ast.List(without(parts, i), ast.Load()) for i in range(len(parts)))
        case ast.Name(name) if name in inputs:
            yield from (ast.Name(other, ast.Load()) for other in inputs if other != name)
        case ast.Call(function, inside, options):
            yield from other_calls(function, inside, options)


def other_calls(
    function: ast.expr, inside: list[ast.expr], options: list[ast.keyword]
) -> Iterator[ast.expr]:
    name = ""
    match function:
        case ast.Attribute(ast.Name(module), name) if module in MODULES:
            yield from inside[:1]
        case ast.Attribute(value, name):
            yield value
        case ast.Name(name):
            yield from inside[:1]
    if name in OTHERS:
        other = (
            ast.Name(OTHERS[name], ast.Load())
            if isinstance(function, ast.Name)
            else ast.Attribute(function.value, OTHERS[name], ast.Load())
        )
        yield ast.Call(other, inside, options)
    for i in range(len(inside)):
        yield ast.Call(function, without(inside, i), options)
    for i in range(len(inside) - 1):
        swapped = [*inside[:i], inside[i + 1], inside[i], *inside[i + 2 :]]
        yield ast.Call(function, swapped, options)
    for i in range(len(options)):
        yield ast.Call(function, inside, without(options, i))


def other_numbers(number: float) -> list[float]:
    if abs(number) > 100:  # one more or less would hardly show
        return [-number, 0, 2 * number, number / 10]
    return [number + 1, number - 1, -number, 0]


def constant(number: float) -> ast.expr:
    positive = ast.Constant(abs(number))
    return positive if number >= 0 else ast.UnaryOp(ast.USub(), positive)


def not_(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), test)


def without(parts: list, place: int) -> list:
    return parts[:place] + parts[place + 1 :]
