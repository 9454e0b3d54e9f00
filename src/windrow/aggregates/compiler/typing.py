"""What types expressions have, and what constants come to: DuckDB is asked, as it is by the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from sqlglot import exp

from windrow.aggregates.compiler.kinds import BOOLEAN, CannotCompile, Family, Kind, kind_of
from windrow.expressions.engine import DataFault, fetch

_DAY = 86_400_000_000


def kinds_of(expressions: Sequence[exp.Expr]) -> list[Kind]:
    """The kind of each expression, whose columns carry their types."""
    names = ", ".join(f"typeof({_plain(each)}) AS c{place}" for place, each in enumerate(expressions))
    try:
        (row,) = fetch(f"SELECT {names}").to_pylist()
    except DataFault as fault:
        raise CannotCompile(f"a constant that fails: {fault}") from fault
    return [kind_of(each.strip('"')) for each in row.values()]


def kind(expression: exp.Expr) -> Kind:
    """The kind of one expression."""
    return kinds_of([expression])[0]


def common_kind(left: exp.Expr, right: exp.Expr) -> Kind:
    """The kind that two expressions are compared at."""
    chosen = exp.Case(ifs=[exp.If(this=exp.Boolean(this=True), true=left.copy())], default=right.copy())
    return kind(chosen)


def is_constant(expression: exp.Expr) -> bool:
    """Whether an expression has the same value at every tuple."""
    return not expression.find(exp.Column, exp.Query, exp.AggFunc)


def value_of(constant: exp.Expr, wanted: Kind) -> Any:
    """A constant as a value of a kind: a number, a string, or None."""
    try:
        answer = fetch(f"SELECT CAST({constant.sql('duckdb')} AS {wanted.sql}) AS value")
    except DataFault as fault:
        raise CannotCompile(f"a constant that fails: {fault}") from fault
    column = answer["value"]
    if wanted.family is Family.INTERVAL:
        return _microseconds(column[0].as_py())
    if wanted.family is Family.INSTANT:
        bits = pa.int32() if wanted.sql == "DATE" else pa.int64()
        return column.cast(bits)[0].as_py()
    return column[0].as_py()


def _microseconds(interval: Any) -> int | None:
    """The length of an interval; a month is taken for 30 days, as where DuckDB compares them."""
    if interval is None:
        return None
    return int((interval.months * 30 + interval.days) * _DAY + interval.nanoseconds // 1000)


def _plain(expression: exp.Expr) -> str:
    """An expression over NULLs of the types that its columns have."""
    root = exp.Paren(this=expression.copy())
    for node in list(root.walk(prune=lambda each: isinstance(each, exp.Query))):
        if isinstance(node, exp.Exists):
            node.replace(_null(BOOLEAN.sql))
        elif isinstance(node, exp.Query):
            outer = node.parent if isinstance(node.parent, exp.Subquery) else node
            outer.replace(_null(_first_type(node)))
        elif isinstance(node, exp.Column):
            node.replace(_null(node.meta["type"]))
    return str(root.this.sql("duckdb"))


def _first_type(query: exp.Expr) -> str:
    schema: Any = query.meta.get("schema")
    if schema is None:
        raise CannotCompile("a query of an unknown type")
    return str(schema.fields[0].type)


def _null(type_: str) -> exp.Expr:
    return exp.cast(exp.Null(), type_, dialect="duckdb")
