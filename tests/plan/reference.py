"""What a plan means, as plain SQL over the tuples so far: definition of right number one.

Each node becomes a SELECT of its columns and two hidden ones, the instant and the arrival number of
tuples of a stream, which count windows go by. Knows nothing of stages, patterns or operators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa
from sqlglot import exp

from windrow.plan.emitting import Changes
from windrow.plan.expiration import Expire
from windrow.plan.grouping import Distinct, GroupBy, Over, TopK
from windrow.plan.joins import Join, Negation, SemiJoin
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import (
    SINGLE,
    Calculate,
    DistinctInstant,
    Leaf,
    Node,
    Project,
    Select,
    Union,
    scans,
)
from windrow.plan.windows import Extent, Window
from windrow.schema import Schema

_ENGINE = duckdb.connect(config={"threads": 1})
HIDDEN = ("__ts", "__n")
"""The instant of a tuple of a stream, and its place among those of the instant."""


def content(node: Node, clock: int, tables: Mapping[Leaf, str], *, home: bool = True) -> str:
    """The SELECT that gives a plan's answer at an instant; `tables` are those of its leaves.

    Away from home, steps that need all tuples together give nothing.
    """
    if isinstance(node, Leaf):
        return f"SELECT {_columns(node.schema)}, __ts, __n FROM {tables[node]}"
    inputs = [f"({content(each, clock, tables, home=home)})" for each in node.inputs]
    query = _SELECT[type(node)](node, inputs, clock)
    return query if home or SINGLE not in node.distributions else f"SELECT * FROM ({query}) LIMIT 0"


def fetch(engine: duckdb.DuckDBPyConnection, query: str) -> list[tuple[Any, ...]]:
    """The rows of an answer, sorted."""
    return sorted(engine.execute(query).fetchall(), key=repr)


def answer_at(node: Node, clock: int, streams: Mapping[str, pa.Table]) -> list[tuple[Any, ...]]:
    """The rows of a plan's answer, sorted. Streams are tables with the hidden columns."""
    for name, table in streams.items():
        _ENGINE.register(name, table)
    tables: dict[Leaf, str] = {scan: scan.stream.name for scan in scans(node)}
    return fetch(_ENGINE, f"SELECT {_columns(node.schema)} FROM ({content(node, clock, tables)})")


def _name(name: str) -> str:
    return f'"{name}"'


def _columns(schema: Schema) -> str:
    return ", ".join(map(_name, schema.names))


def _text(expression: exp.Expr) -> str:
    return expression.sql(dialect="duckdb")


def _shown(expressions: Sequence[exp.Expr], schema: Schema) -> str:
    pairs = zip(expressions, schema, strict=True)
    return ", ".join(f"CAST({_text(each)} AS {field.type}) AS {_name(field.name)}" for each, field in pairs)


def _select(node: Select, inputs: list[str], _: int) -> str:
    return f"SELECT * FROM {inputs[0]} WHERE {_text(node.predicate)}"


def _told(_node: Changes | Expire, inputs: list[str], _: int) -> str:
    """However its changes are told, the answer is the answer."""
    return f"FROM {inputs[0]}"


def _project(node: Project, inputs: list[str], _: int) -> str:
    return f"SELECT {_shown(node.expressions, node.output)}, __ts, __n FROM {inputs[0]}"


def _calculate(node: Calculate, inputs: list[str], _: int) -> str:
    shown = _columns(node.output) if node.expressions is None else _shown(node.expressions, node.output)
    where = "" if node.predicate is None else f" WHERE {_text(node.predicate)}"
    return f"SELECT {shown}, __ts, __n FROM {inputs[0]}{where}"


def _union(node: Union, inputs: list[str], _: int) -> str:
    names = ", ".join(map(_name, (*node.schema.names, *HIDDEN, "__branch")))
    branches = " UNION ALL ".join(f"SELECT *, {place} FROM {each}" for place, each in enumerate(inputs))
    number = "row_number() OVER (ORDER BY __ts, __branch, __n) AS __n"
    return f"SELECT {_columns(node.schema)}, __ts, {number} FROM ({branches}) AS merged({names})"


def _distinct_instant(node: DistinctInstant, inputs: list[str], _: int) -> str:
    shown = _columns(node.schema)
    return f"SELECT {shown}, __ts, min(__n) AS __n FROM {inputs[0]} GROUP BY {shown}, __ts"


def _window(node: Window, inputs: list[str], clock: int) -> str:
    spec = node.spec
    if spec.extent is Extent.TIME:
        moved = clock if spec.slide is None else clock // spec.slide * spec.slide
        return f"SELECT * FROM {inputs[0]} WHERE __ts > {moved - spec.size} AND __ts <= {moved}"
    partition = f"PARTITION BY {', '.join(map(_name, spec.partition))}" if spec.partition else ""
    ranked = (
        f"SELECT *, row_number() OVER ({partition} ORDER BY __ts, __n) AS __rank,"
        f" count(*) OVER ({partition}) // {spec.slide or 1} * {spec.slide or 1} AS __moved FROM {inputs[0]}"
    )
    inside = f"__rank > __moved - {spec.size} AND __rank <= __moved"
    return f"SELECT {_columns(node.schema)}, __ts, __n FROM ({ranked}) WHERE {inside}"


def _over(node: Over, inputs: list[str], _: int) -> str:
    calls = zip(node.calls, node.names, strict=True)
    range_ = node.frame.extent is Extent.TIME
    partition = f"PARTITION BY {', '.join(map(_name, node.partition))} " if node.partition else ""
    order = "__ts RANGE" if range_ else "__ts, __n ROWS"
    preceding = "UNBOUNDED" if node.frame.preceding is None else str(node.frame.preceding)
    frame = f"{partition}ORDER BY {order} BETWEEN {preceding} PRECEDING AND CURRENT ROW"
    shown = ", ".join(f"{_text(call)} OVER ({frame}) AS {_name(field.name)}" for call, field in calls)
    return f"SELECT {_columns(node.input.schema)}, {shown}, __ts, __n FROM {inputs[0]}"


_NO_STREAM = "NULL::BIGINT AS __ts, NULL::BIGINT AS __n"


def _grouped(node: GroupBy, inputs: list[str], _: int) -> str:
    keys = [_name(key) for key in node.keys]
    calls = zip(node.aggregates, node.names, strict=True)
    shown = [*keys, *(f"{_text(call)} AS {_name(field.name)}" for call, field in calls)]
    by = f" GROUP BY {', '.join(keys)}" if keys else ""
    return f"SELECT {', '.join(shown)}, {_NO_STREAM} FROM {inputs[0]}{by}"


def _distinct(node: Distinct, inputs: list[str], _: int) -> str:
    return f"SELECT *, {_NO_STREAM} FROM (SELECT DISTINCT {_columns(node.schema)} FROM {inputs[0]})"


def _top(node: TopK, inputs: list[str], _: int) -> str:
    """Of equals in the order, whichever: tests order by all columns."""
    order = f" ORDER BY {', '.join(map(_text, node.order))}" if node.order else ""
    limit = "" if node.limit is None else f" LIMIT {node.limit}"
    return f"SELECT * FROM {inputs[0]}{order}{limit} OFFSET {node.offset}"


def _on(node: Join | SemiJoin | Negation) -> str:
    parts = [f"{_name(left)} = {_name(right)}" for left, right in node.keys]
    if node.condition is not None:
        parts.append(f"({_text(node.condition)})")
    return " AND ".join(parts) or "true"


def _bare(node: Node, input_: str) -> str:
    return f"(SELECT {_columns(node.schema)} FROM {input_})"


def _join(node: Join, inputs: list[str], _: int) -> str:
    left, right = _bare(node.left, inputs[0]), _bare(node.right, inputs[1])
    return f"SELECT *, {_NO_STREAM} FROM {left} {node.kind.upper()} JOIN {right} ON {_on(node)}"


def _semi(node: SemiJoin, inputs: list[str], _: int) -> str:
    right = _bare(node.right, inputs[1])
    return f"SELECT * FROM {inputs[0]} WHERE EXISTS (SELECT 1 FROM {right} WHERE {_on(node)})"


def _lacking(node: Negation, inputs: list[str], _: int) -> str:
    right = _bare(node.right, inputs[1])
    if not node.null_aware:
        return f"SELECT * FROM {inputs[0]} WHERE NOT EXISTS (SELECT 1 FROM {right} WHERE {_on(node)})"
    (asked, listed), *_ = node.keys
    return f"SELECT * FROM {inputs[0]} WHERE {_name(asked)} NOT IN (SELECT {_name(listed)} FROM {right})"


def _set_operation(node: Intersect | Except, inputs: list[str], _: int) -> str:
    left, right = _bare(node.left, inputs[0]), _bare(node.right, inputs[1])
    word = f"{node.label.upper()}{'' if node.distinct else ' ALL'}"
    return f"SELECT *, {_NO_STREAM} FROM (FROM {left} {word} FROM {right})"


_SELECT: Mapping[type[Node], Callable[[Any, list[str], int], str]] = {
    Changes: _told,
    Expire: _told,
    Select: _select,
    Project: _project,
    Calculate: _calculate,
    Union: _union,
    DistinctInstant: _distinct_instant,
    Window: _window,
    Over: _over,
    GroupBy: _grouped,
    Distinct: _distinct,
    TopK: _top,
    Join: _join,
    SemiJoin: _semi,
    Negation: _lacking,
    Intersect: _set_operation,
    Except: _set_operation,
}
