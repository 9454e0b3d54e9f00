"""Moving an expression to the other side of a projection, or of a union."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from windrow.expressions.typing import type_of
from windrow.plan.nodes import Project
from windrow.schema import Schema

Definitions = Mapping[str, exp.Expr]
"""What a column, named in small letters, stands for."""

_CLOCKS = (exp.CurrentTimestamp, exp.CurrentDate, exp.CurrentTime, exp.Localtimestamp, exp.Localtime)
_VOLATILE = (exp.Rand, exp.Uuid, *_CLOCKS)
_VOLATILE_NAMES = frozenset(
    [
        "random",
        "setseed",
        "uuid",
        "uuidv4",
        "uuidv7",
        "gen_random_uuid",
        "nextval",
        "error",
        "now",
        "today",
        "get_current_time",
        "get_current_timestamp",
        "transaction_timestamp",
    ]
)
_ATOMS = (exp.Column, exp.Literal, exp.Cast, exp.Anonymous, exp.Paren, exp.Boolean, exp.Null)

_LARGEST = 1000
"""Expressions of more nodes than this are not built: columns used twice at each level of a plan
would double them each time."""


def definitions(node: Project) -> Definitions:
    """The expressions of a projection by the columns that they make, with exactly their types."""
    pairs = zip(node.expressions, node.output, strict=True)
    return {field.name.lower(): _typed(each, field.type, node.input.schema) for each, field in pairs}


def by_position(names: Iterable[str], others: Iterable[str]) -> Definitions:
    """The columns of one schema as those of another, first for first."""
    pairs = zip(names, others, strict=True)
    return {name.lower(): exp.column(other, quoted=True) for name, other in pairs}


def substitute(expression: exp.Expr, meaning: Definitions) -> exp.Expr:
    """The same expression with each column replaced by what it stands for."""

    def replaced(each: exp.Expr) -> exp.Expr:
        if not isinstance(each, exp.Column):
            return each
        stands_for = meaning[each.name.lower()].copy()
        return stands_for if isinstance(stands_for, _ATOMS) else exp.paren(stands_for, copy=False)

    if isinstance(expression, exp.Column):
        return replaced(expression)
    return expression.copy().transform(replaced, copy=False)


def columns(*expressions: exp.Expr) -> frozenset[str]:
    """The columns that expressions name, in small letters."""
    return frozenset(column.name.lower() for each in expressions for column in each.find_all(exp.Column))


def may_move(expression: exp.Expr, meaning: Definitions) -> bool:
    """Whether substituting gives the same answer at a fair cost.

    What may answer differently each time has to be asked as often as it is written.
    """
    used = [meaning[name] for name in columns(expression)]
    return not any(map(is_volatile, (expression, *used))) and _grown(expression, meaning) <= _LARGEST


def is_volatile(expression: exp.Expr) -> bool:
    """Whether an expression may give something else each time it is asked."""
    return any(
        isinstance(each, _VOLATILE)
        or (isinstance(each, exp.Anonymous) and each.name.lower() in _VOLATILE_NAMES)
        for each in expression.walk()
    )


def _grown(expression: exp.Expr, meaning: Definitions) -> int:
    """How many nodes an expression would have after substituting."""
    mentioned = (column.name.lower() for column in expression.find_all(exp.Column))
    return _size(expression) + sum(_size(meaning[name]) for name in mentioned)


def _size(expression: exp.Expr) -> int:
    return sum(1 for _ in expression.walk())


def _typed(expression: exp.Expr, type_: str, input_: Schema) -> exp.Expr:
    """An expression with the cast that a projection applies without saying, where there is one."""
    source = input_.find(expression.name) if isinstance(expression, exp.Column) else None
    if (source.type if source else type_of(expression, input_)) == type_:
        return expression
    return exp.cast(expression, exp.DataType.build(type_, dialect="duckdb"))
