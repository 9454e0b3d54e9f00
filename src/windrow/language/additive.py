"""Which aggregates keep one row of sums, to which each tuple adds: then the rows of parts add up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from windrow.aggregate_body import (
    RETURN,
    TUPLE,
    Action,
    Body,
    Event,
    InsertQuery,
    InsertRows,
    LocalTable,
    Update,
)

_NUMBERS = ("INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE")


def sums_of(body: Body) -> LocalTable | None:
    """The only table, if it has one row of sums: ITERATE adds to a column what INITIALIZE puts there."""
    if len(body.tables) != 1 or body.calls or not body.events.get(Event.TERMINATE):
        return None
    (table,) = body.tables
    if any(field.type not in _NUMBERS for field in table.schema):
        return None
    if not all(_is_answer(action) for action in body.events[Event.TERMINATE]):
        return None
    put = body.events[Event.INITIALIZE]
    first = put[0] if len(put) == 1 else None
    if not isinstance(first, InsertRows) or first.table != table.name or first.condition is not None:
        return None
    added = _added_by(body.events[Event.ITERATE], table)
    if len(first.rows) != 1 or added is None:
        return None
    begun = dict(zip(table.schema.names, first.rows[0], strict=True))
    same = all(
        added.get(name) == sorted(map(_told, _terms(_within_cast(value)))) for name, value in begun.items()
    )
    return table if same and len(added) == len(begun) else None


def _added_by(actions: Sequence[Action], table: LocalTable) -> Mapping[str, list[str]] | None:
    """What is added to each column of a table, in terms; None if anything else is done."""
    added: dict[str, list[str]] = {}
    for action in actions:
        if not isinstance(action, Update) or action.table != table.name or action.condition is not None:
            return None
        for name, value in zip(action.columns, action.values, strict=True):
            own, *terms = sorted(_terms(value), key=lambda term: not _is_column(term, table, name))
            read = [column for term in terms for column in term.find_all(exp.Column, exp.Query)]
            if name in added or not _is_column(own, table, name) or not all(map(_is_argument, read)):
                return None
            added[name] = sorted(map(_told, terms))
    return added


def _terms(value: exp.Expr) -> Iterator[exp.Expr]:
    value = value.unnest()
    if isinstance(value, exp.Add):
        yield from _terms(value.left)
        yield from _terms(value.right)
    else:
        yield value


def _told(term: exp.Expr) -> str:
    return str(term.sql("duckdb"))


def _within_cast(value: exp.Expr) -> exp.Expr:
    return value.this if isinstance(value, exp.Cast) else value


def _is_column(term: exp.Expr, table: LocalTable, name: str) -> bool:
    return isinstance(term, exp.Column) and term.table == table.name and term.name == name


def _is_argument(read: exp.Expr) -> bool:
    return isinstance(read, exp.Column) and read.table == TUPLE


def _is_answer(action: Action) -> bool:
    """Whether TERMINATE only reads the table, in one plain query."""
    if not isinstance(action, InsertQuery) or action.table != RETURN:
        return False
    sources = list(action.query.find_all(exp.Table))
    columns = action.query.find_all(exp.Column)
    return (
        len(sources) == 1
        and len(list(action.query.find_all(exp.Query))) == 1
        and all(column.table == sources[0].alias_or_name for column in columns)
    )
