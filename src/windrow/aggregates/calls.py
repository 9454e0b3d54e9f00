"""An aggregate's call, taken apart: `SUM(DISTINCT x) FILTER (WHERE f)` and the like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from windrow.expressions.statement import as_sql


@dataclass(frozen=True)
class Call:
    """A call of an aggregate whose arguments and condition are columns or literals."""

    name: str
    """As DuckDB writes it, in small letters."""
    arguments: tuple[exp.Expr, ...]
    distinct: bool
    order: tuple[exp.Expr, ...]
    """ORDER BY inside the call."""
    where: exp.Expr | None
    """The condition of FILTER."""
    tree: exp.Expr

    @property
    def sql(self) -> str:
        return as_sql(self.tree)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return tuple(dict.fromkeys(column.name for column in self.tree.find_all(exp.Column)))

    def only_column(self) -> str | None:
        """The one column that it takes, where it takes nothing else."""
        if len(self.arguments) == 1 and isinstance(self.arguments[0], exp.Column):
            return self.arguments[0].name
        return None

    def filter_column(self) -> str | None:
        """The column of FILTER."""
        return self.where.name if isinstance(self.where, exp.Column) else None


def take_apart(tree: exp.Expr) -> Call:
    """A call as sqlglot has it."""
    where: exp.Expr | None = None
    function = tree
    if isinstance(function, exp.Filter):
        where, function = function.expression.this, function.this
    if isinstance(function, exp.IgnoreNulls):
        function = function.this
    distinct, order = False, list(function.expression.expressions) if _within(function) else []
    if _within(function):
        function = function.this
    arguments: list[exp.Expr] = []
    for argument in _arguments(function):
        if isinstance(argument, exp.Order):
            order += argument.expressions
            argument = argument.this
        if isinstance(argument, exp.Distinct):
            distinct = True
            arguments += argument.expressions
        else:
            arguments.append(argument)
    name = as_sql(function).partition("(")[0].strip('"').lower()
    return Call(name, tuple(arguments), distinct, tuple(order), where, tree)


def _within(function: exp.Expr) -> bool:
    return isinstance(function, exp.WithinGroup)


def _arguments(function: exp.Expr) -> Iterator[exp.Expr]:
    for name in function.arg_types:
        value = function.args.get(name)
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, exp.Expr) and not isinstance(each, exp.Star):
                yield each
