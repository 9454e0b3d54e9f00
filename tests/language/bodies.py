"""Definitions of aggregates for tests: short ones to fill in, and what a body comes to, to read."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from windrow.aggregate_body import Action, Body
from windrow.catalog import Aggregate, Catalog
from windrow.language.define_aggregate import define_aggregate
from windrow.language.parser import parse

RETURNS = "INSERT INTO RETURN VALUES (1)"


def base(iterate: str = RETURNS, initialize: str = "", more: str = "TABLE t(a int, b varchar);") -> str:
    return (
        f"CREATE AGGREGATE f(x int, y varchar) : int {{ {more}"
        f" INITIALIZE: {{ {initialize} }} ITERATE: {{ {iterate} }} TERMINATE: {{ {RETURNS} }} }}"
    )


def window(iterate: str, more: str = "TABLE inwindow(v, w);") -> str:
    return base(iterate, more=more).replace("AGGREGATE", "WINDOW AGGREGATE")


def defined(text: str, catalog: Catalog | None = None) -> Aggregate:
    (statement,) = parse(text)
    return define_aggregate(statement, catalog or Catalog())  # type: ignore[arg-type]


def told(body: Body | None) -> str:
    """A body to read: names are qualified, and casts are there."""
    assert body is not None
    lines = [f"{table.name}({_columns(table.schema)})" for table in body.tables]
    lines += [f"inwindow({_columns(body.window.schema)})"] if body.window else []
    for event, actions in body.events.items():
        lines.append(f"{event.value}:")
        lines += [f"  {line}" for action in actions for line in _told_of(action)]
    return "\n".join(lines)


def _columns(schema: object) -> str:
    return ", ".join(f"{field.name} {field.type}" for field in schema)  # type: ignore[attr-defined]


def _told_of(action: Action) -> Iterator[str]:
    yield f"{type(action).__name__} {action.table}{' older' if getattr(action, 'older', False) else ''}"
    for name, value in vars(action).items():
        if isinstance(value, exp.Expr):
            yield f"  {name} {sql(value)}"
        elif name == "rows":
            yield from (f"  ({', '.join(map(sql, row))})" for row in value)
        elif name == "columns":
            yield from (f"  {column} = {sql(to)}" for column, to in zip(value, action.values, strict=True))  # type: ignore[union-attr]


def sql(tree: exp.Expr) -> str:
    return tree.sql(dialect="duckdb").replace('"', "")
