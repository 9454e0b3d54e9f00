"""What a scalar expression may hold: each tuple by itself, the same at each replay."""

from __future__ import annotations

from sqlglot import exp

from windrow.errors import Refused, Span
from windrow.language import engine
from windrow.language.scope import Scope, unsteady
from windrow.language.tokens import too_deep

_MAX_NESTING = 200

_AGGREGATE = (
    "an aggregate has no place here: this sees one tuple at a time",
    "conditions on aggregates stand in HAVING",
)
_REFUSED: tuple[tuple[type[exp.Expr], str, str], ...] = (
    (exp.AggFunc, *_AGGREGATE),
    (exp.Star, "* stands only by itself in the SELECT list", "name the columns"),
    (exp.Parameter, "@ is not read here", "abs(x) gives the absolute value"),
)
_WHOLE: tuple[tuple[type[exp.Expr], str, str, str], ...] = (
    (
        exp.Window,
        "OVER",
        "OVER has its place in the SELECT list alone",
        "compute it in a query in FROM, and use its column here",
    ),
    (
        exp.Query,
        "a query within an expression",
        "an expression cannot hold a query",
        "read one stream in FROM, and compute with its columns",
    ),
    (
        exp.Explode,
        "unnest",
        "unnest makes several tuples of one, which an expression cannot",
        "keep the list as it is",
    ),
    (
        exp.Unnest,
        "unnest",
        "unnest makes several tuples of one, which an expression cannot",
        "keep the list as it is",
    ),
    (exp.Columns, "COLUMNS", "COLUMNS is not read here", "name the columns, or write * with EXCLUDE"),
    (
        exp.PositionalColumn,
        "the number of a column",
        "columns have names here, and no numbers",
        "write the name of the column",
    ),
)
"""What a query may have that is asked again as a whole, and what it is called."""


class NotScalar(Refused):
    """The refusal of what only a query has that is asked again as a whole."""

    def __init__(self, reason: str, message: str, span: Span, *, hint: str) -> None:
        super().__init__(message, span, hint=hint)
        self.reason = reason
        """What it is, in words."""


def check_scalar(expression: exp.Expr, scope: Scope) -> None:
    """Refuse what is not a function of one tuple's columns, or nests beyond what can be computed."""
    check_nesting(expression, scope)
    for node in expression.walk():
        for kind, message, hint in _REFUSED:
            if isinstance(node, kind):
                raise Refused(message, scope.place(node), hint=hint)
        for kind, reason, message, hint in _WHOLE:
            if isinstance(node, kind):
                raise NotScalar(reason, message, scope.place(node), hint=hint)
        if isinstance(node, exp.Func):
            _check_function(node, scope)


def check_nesting(expression: exp.Expr, scope: Scope) -> None:
    """Refuse what nests beyond what can be computed."""
    if _nesting(expression) > _MAX_NESTING:
        raise too_deep(scope.place(expression))


def check_steady(node: exp.Func, scope: Scope) -> None:
    """Refuse a function whose value does not follow from its arguments, by whatever name."""
    names = function_names(node, scope)
    meant = set() if isinstance(node, exp.Anonymous) else {name.lower() for name in node.sql_names()}
    unsteady_names = (names | meant) & engine.unsteady_functions()
    if unsteady_names or (names == {"age"} and len(node.expressions) == 1):
        raise unsteady(f"{min(names)}()", scope.place(node))


def _nesting(expression: exp.Expr) -> int:
    """How deep the tree is; a chain of ANDs and ORs counts as one level."""
    deepest, stack = 0, [(expression, 0)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        below = depth + (not isinstance(node, exp.Connector))
        stack.extend((child, below) for child in node.iter_expressions())
    return deepest


def _check_function(node: exp.Func, scope: Scope) -> None:
    if function_names(node, scope) & engine.functions("aggregate", "window"):
        message, hint = _AGGREGATE
        raise Refused(message, scope.place(node), hint=hint)
    check_steady(node, scope)


def function_names(node: exp.Func, scope: Scope) -> set[str]:
    """What a function is called: as written, or where that left no trace, as sqlglot knows it."""
    if "start" in node.meta:
        return {scope.source.text[node.meta["start"] : node.meta["end"] + 1].strip('"').lower()}
    if isinstance(node, exp.Anonymous):
        return {node.name.lower()}
    return {name.lower() for name in node.sql_names()}
