"""Plans for tests, and the words to write them in a line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import sqlglot
from hypothesis import strategies as st
from sqlglot import exp

from windrow.catalog import Stamping, Stream
from windrow.delta import Delta
from windrow.plan.nodes import DistinctInstant, Node, Project, Scan, Select, Union
from windrow.plan.stages import RESULT, compile_plan
from windrow.schema import Schema

CLOCK = 100
COLUMNS = Schema.of(("a", "BIGINT"), ("b", "BIGINT"), ("s", "VARCHAR"), ("t", "TIMESTAMP"))


def sql(text: str) -> exp.Expr:
    return sqlglot.parse_one(text, dialect="duckdb")


def scan(name: str) -> Scan:
    return Scan(Stream(name, COLUMNS, Stamping.EXTERNAL, "t"), COLUMNS.names)


def project(input_: Node, *columns: tuple[str, str, str]) -> Project:
    """Columns as (expression, name, type)."""
    output = Schema.of(*((name, type_) for _, name, type_ in columns))
    return Project(input_, tuple(sql(text) for text, _, _ in columns), output)


def select(input_: Node, predicate: str) -> Select:
    return Select(input_, sql(predicate))


def merged_calls() -> Node:
    """A selection over a projection over a DISTINCT union of two streams."""
    left = select(scan("Calls"), "a > 1")
    right = project(
        scan("Others"),
        ("b + 1", "n", "BIGINT"),
        ("a", "m", "BIGINT"),
        ("s", "s", "VARCHAR"),
        ("t", "t", "TIMESTAMP"),
    )
    distinct = DistinctInstant(Union((left, right)))
    return select(project(distinct, ("a * 2", "twice", "BIGINT"), ("t", "t", "TIMESTAMP")), "twice > 4")


def delta(rows: Sequence[tuple[int | None, int | None, str | None, int]]) -> Delta:
    """Rows of COLUMNS; the timestamp is in microseconds."""
    columns = [
        pa.array([row[place] for row in rows], type_) for place, type_ in enumerate(COLUMNS.arrow.types)
    ]
    return Delta(
        CLOCK, pa.table(columns, schema=COLUMNS.arrow), np.array([row[3] for row in rows], np.int64)
    )


def answer(node: Node, streams: dict[str, Delta]) -> Delta:
    """What a plan gives, all its stages run one after another in one place."""
    known: dict[str, Delta] = {}
    for stage in compile_plan(node).stages:
        for each in stage.inputs:
            if each.scan:
                whole = streams[each.scan.stream.name]
                known[each.id] = Delta(CLOCK, whole.rows.select(list(each.scan.columns)), whole.ts)
        known |= stage.start().on_deltas({each.id: known[each.id] for each in stage.inputs})
    return known[RESULT]


VALUES = st.one_of(st.none(), st.integers(-2, 3))
STREAMS = st.lists(
    st.tuples(VALUES, VALUES, st.sampled_from([None, "", "u", "v"]), st.integers(0, 4)), max_size=12
).map(lambda rows: delta(sorted(rows, key=lambda row: row[3])))

_PREDICATES = st.sampled_from(
    ["a > 0", "a + b = 1", "a = 1 OR b < 0", "s IS NULL", "coalesce(a, b) <> 2", "NOT (a > b)", "true"]
)
_FIRST = st.sampled_from(
    ["a", "b", "a + b", "a - 1", "coalesce(a, 0) * 2", "CASE WHEN a > b THEN a END", "7"]
)


def _projected(input_: Node, first: str, second: str) -> Node:
    return project(
        input_,
        (first, "a", "BIGINT"),
        (second, "b", "BIGINT"),
        ("s", "s", "VARCHAR"),
        ("t", "t", "TIMESTAMP"),
    )


def _grown(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.one_of(
        st.builds(select, inner, _PREDICATES),
        st.builds(_projected, inner, _FIRST, _FIRST),
        st.builds(lambda *branches: Union(branches), inner, inner),
        st.builds(DistinctInstant, inner),
    )


_WHOLE: st.SearchStrategy[Node] = st.recursive(st.sampled_from(["X", "Y"]).map(scan), _grown, max_leaves=4)


def _narrowed(node: Node, first: str, predicate: str) -> Node:
    return select(
        project(node, (first, "a", "BIGINT"), ("b", "b", "BIGINT"), ("s", "s", "VARCHAR")), predicate
    )


PLANS = st.one_of(_WHOLE, st.builds(_narrowed, _WHOLE, _FIRST, _PREDICATES))
"""Plans over the streams X and Y."""
