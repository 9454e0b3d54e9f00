"""ORDER BY of a query: allowed where it says what holds anyway, that results come in time order."""

from __future__ import annotations

from sqlglot import exp

from windrow.errors import Refused, UnknownName
from windrow.language.names import suggest
from windrow.language.scope import Scope
from windrow.language.timestamps import timestamp_column, timestamp_positions
from windrow.plan.nodes import Node


def check_order(order: exp.Order, node: Node, scope: Scope, input_: Node | None) -> None:
    """Refuse any order but that of the timestamp; `input_` is what a SELECT reads, if it is one."""
    first, *more = order.expressions
    if more:
        raise _refused(more[0], scope, "leave all but the timestamp out: ties come in order of arrival")
    if first.args.get("desc"):
        raise _refused(first, scope, "leave DESC out: a stream cannot run backwards")
    column = first.this
    if not isinstance(column, exp.Column):
        raise _refused(first, scope, _hint(node, input_))
    if not _is_timestamp(column, node, scope, input_):
        raise _refused(first, scope, _hint(node, input_))


def _is_timestamp(column: exp.Column, node: Node, scope: Scope, input_: Node | None) -> bool:
    names = [name.lower() for name in node.schema.names]
    if not column.table and column.name.lower() in names:
        return names.index(column.name.lower()) in timestamp_positions(node)
    if input_ is None:
        raise UnknownName(
            f"there is no column '{column.name}'",
            scope.place(column),
            hint=suggest(column.name, node.schema.names, "columns are"),
        )
    resolved = scope.resolve(column)
    stamps = {input_.schema.names[place] for place in timestamp_positions(input_)}
    return isinstance(resolved, exp.Column) and resolved.name in stamps


def _hint(node: Node, input_: Node | None) -> str:
    name = timestamp_column(node) or (timestamp_column(input_) if input_ else None)
    return (
        f"the timestamp here is {name}" if name else "there is no timestamp column here: leave ORDER BY out"
    )


def _refused(node: exp.Expr, scope: Scope, hint: str) -> Refused:
    return Refused(
        "the results of a query come in the order of its timestamp", scope.place(node), hint=hint
    )
