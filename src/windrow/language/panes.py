"""What stands for an aggregate of one's own over panes: one version makes a value of each pane, others take
these values in. There are panes

- where ALGEBRAIC says that what the base version returns of a part may be fed in again;
- where an ALGEBRAIC one keeps one row of sums, to which each tuple adds: then the row itself goes on, as
  sum and number do of an average. What leaves is subtracted; a NULL counts as long as it is there;
- where a class in Python has `merge`: then its instances go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from sqlglot import exp

from windrow.aggregate_body import RETURN, Action, Body, Event, InsertQuery, LocalTable
from windrow.catalog import Aggregate, Catalog, Share
from windrow.language.additive import sums_of
from windrow.language.aggregate_statements import CreateAggregate
from windrow.language.aggregates import value_type
from windrow.language.define_aggregate import define_aggregate, feeds
from windrow.language.parser import parse
from windrow.schema import Field, Schema

Shares: TypeAlias = tuple[tuple[Aggregate, ...], tuple[Aggregate, ...]]
"""The versions for a pane, and those for what panes come to."""


def of_panes(versions: Sequence[Aggregate]) -> Shares | None:
    """The versions of an aggregate for panes; None where it has none."""
    base = next((each for each in versions if not each.window and each.blocking), None)
    if base is None:
        return None
    if base.merges:
        return _merged(base)
    if not any(each.algebraic for each in versions):
        return None
    if base.body is not None and (sums := sums_of(base.body)) is not None:
        return _added(base, base.body, sums)
    return ((base,), tuple(versions)) if feeds(base.returns, base.parameters) else None


def _added(base: Aggregate, body: Body, table: LocalTable) -> Shares:
    """The base version up to its row of sums, and a window version over such rows."""
    source = exp.Table(this=exp.to_identifier(table.name, quoted=True))
    query = exp.select(*(_column(table, field) for field in table.schema)).from_(source)
    query.meta["schema"] = table.schema
    events = {**body.events, Event.TERMINATE: (InsertQuery(RETURN, query),)}
    pane = replace(
        base,
        returns=table.schema,
        sql=f"a pane of {base.sql}",
        type=value_type(table.schema),
        body=replace(body, returns=table.schema, events=events),
    )
    (statement,) = parse(_window_of(base, body, table))
    assert isinstance(statement, CreateAggregate)
    return (pane,), (replace(define_aggregate(statement, Catalog()), limit=base.limit),)


def _merged(base: Aggregate) -> Shares:
    instances = Schema.of(("pane", "BLOB"))
    pane = replace(base, returns=instances, type="BLOB", share=Share.PANE)
    return (pane,), (replace(base, parameters=instances, window=True, share=Share.PANES),)


def _window_of(base: Aggregate, body: Body, table: LocalTable) -> str:
    """A window version, as text, that takes rows of sums: of each column it keeps the sum of what is not
    NULL, and how many are."""
    types = {f"{place}": field.type for place, field in enumerate(table.schema)}

    def each(pattern: str) -> str:
        return ", ".join(
            pattern.replace("#", place).replace("TYPE", type_) for place, type_ in types.items()
        )

    def changed(sign: str, of: str) -> str:
        null = f"CASE WHEN {of} IS NULL THEN 1 ELSE 0 END"
        return each(f"s# = s# {sign} coalesce({of}, 0), n# = n# {sign} {null}")

    ends = "; ".join(_ending(action, table) for action in body.events[Event.TERMINATE])
    first = each("coalesce(p#, 0), CASE WHEN p# IS NULL THEN 1 ELSE 0 END")
    return f"""CREATE WINDOW AGGREGATE {_quoted(base.name)}({each("p# TYPE")}) : {_returned(base)} {{
        TABLE state({each("s# TYPE, n# BIGINT")});
        TABLE inwindow({each("w# TYPE")});
        INITIALIZE: {{ INSERT INTO state VALUES ({first}) }}
        ITERATE: {{ UPDATE state SET {changed("+", "p#")} }}
        EXPIRE: {{ UPDATE state SET {changed("-", "oldest().w#")} }}
        TERMINATE: {{ {ends} }}
    }}"""


def _ending(action: Action, table: LocalTable) -> str:
    """An action of TERMINATE over the sums of panes."""
    assert isinstance(action, InsertQuery)
    query = action.query.copy()
    for column in list(query.find_all(exp.Column)):
        place = table.schema.names.index(column.name)
        column.replace(exp.maybe_parse(f"CASE WHEN n{place} = 0 THEN s{place} END", dialect="duckdb"))
    for source in list(query.find_all(exp.Table)):
        source.replace(exp.to_table("state"))
    return f"INSERT INTO {RETURN} {query.sql('duckdb')}"


def _column(table: LocalTable, field: Field) -> exp.Column:
    column: exp.Column = exp.column(field.name, table=table.name, quoted=True)
    column.meta["type"] = field.type
    return column


def _quoted(name: str) -> str:
    return str(exp.to_identifier(name, quoted=True).sql("duckdb"))


def _returned(base: Aggregate) -> str:
    if len(base.returns) == 1:
        return base.returns.fields[0].type
    return f"({', '.join(f'{_quoted(each.name)} {each.type}' for each in base.returns)})"
