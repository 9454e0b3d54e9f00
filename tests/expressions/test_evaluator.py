"""The reference asks DuckDB about one row at a time; the evaluator asks about all at once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from windrow.errors import RunnerError
from windrow.expressions.evaluator import Evaluated, Evaluator
from windrow.schema import Schema

INPUT = Schema.of(("a", "BIGINT"), ("b", "DOUBLE"), ("Some name", "VARCHAR"))
ROWS = pa.table(
    [[1, 2, None, 4], [0.5, None, float("nan"), -0.0], ["10", "x", None, "7"]], schema=INPUT.arrow
)


def sql(text: str) -> exp.Expr:
    return sqlglot.parse_one(text, dialect="duckdb")


def evaluate(
    rows: pa.Table, predicate: str | None, expressions: Sequence[str] | None, output: Schema
) -> Evaluated:
    where = None if predicate is None else sql(predicate)
    given_ = None if expressions is None else [sql(each) for each in expressions]
    return Evaluator(INPUT, where, given_, output).evaluate(rows)


def test_rows_are_kept_in_their_order_with_their_places() -> None:
    made = evaluate(ROWS, "a <> 2", ["a + 1", "a"], Schema.of(("x", "BIGINT"), ("a", "BIGINT")))
    assert made.table.to_pydict() == {"x": [2, 5], "a": [1, 4]}
    assert made.kept is not None
    assert made.kept.tolist() == [0, 3]
    assert made.failures is None


def test_no_predicate_keeps_all_rows() -> None:
    made = evaluate(ROWS, None, ["1"], Schema.of(("one", "INTEGER")))
    assert made.table.to_pydict() == {"one": [1, 1, 1, 1]}
    assert made.kept is None


def test_no_expressions_keep_the_columns() -> None:
    made = evaluate(ROWS, '"some NAME" IS NULL', None, INPUT)
    assert made.table.schema == INPUT.arrow
    assert made.table.column("Some name").to_pylist() == [None]


def test_nan_compares_as_in_duckdb() -> None:
    made = evaluate(ROWS, "b > 0", ["a"], Schema.of(("a", "BIGINT")))
    assert made.table.to_pydict() == {"a": [1, None]}


@pytest.mark.parametrize("rows", [ROWS, ROWS.slice(0, 0)], ids=["rows", "no rows"])
@pytest.mark.parametrize(
    ("expression", "type_"),
    [
        ("1", "BIGINT"),
        ("a", "INTEGER"),
        ("a", "BIGINT"),
        ("sum_of", "HUGEINT"),
        ("'u'", "ENUM('u', 'v')"),
        ("NULL", "VARCHAR"),
        ("1.5", "DECIMAL(10, 3)"),
        ("make_timestamp(a)", "TIMESTAMP"),
        ("make_timestamp(a)", "TIMESTAMP WITH TIME ZONE"),
        ("[a, 2]", "INTEGER[]"),
        ("{'k': a}", "STRUCT(k SMALLINT)"),
        ("to_days(1)", "INTERVAL"),
        ('"Some name"', "VARCHAR"),
        ("'ab'", "BLOB"),
    ],
)
def test_the_output_has_exactly_the_types_of_its_schema(
    rows: pa.Table, expression: str, type_: str
) -> None:
    output = Schema.of(("value", type_))
    made = evaluate(rows, None, [expression.replace("sum_of", "a + 1")], output)
    assert made.table.schema == output.arrow
    assert made.failures is None


@pytest.mark.parametrize(
    "strings", [pa.string_view(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())]
)
def test_other_arrow_types_of_the_same_sql_type_come_out_as_the_schema_says(strings: pa.DataType) -> None:
    texts = pa.array(["u", None, "v", "u"]).cast(strings)
    rows = ROWS.set_column(2, "Some name", texts)
    made = evaluate(rows, "a IS NOT NULL", None, INPUT)
    assert made.table.schema == INPUT.arrow
    assert made.table.column("Some name").to_pylist() == ["u", None, "u"]


def test_many_small_chunks_are_one_table() -> None:
    rows = pa.concat_tables([ROWS.slice(place % 4, 1) for place in range(10)])
    made = evaluate(rows, "a = 1", None, INPUT)
    assert made.kept is not None
    assert made.kept.tolist() == [0, 4, 8]
    assert made.table.num_rows == 3


def test_a_row_that_fails_is_left_out_and_named() -> None:
    made = evaluate(
        ROWS, None, ['CAST("Some name" AS INTEGER)', "a"], Schema.of(("n", "INTEGER"), ("a", "BIGINT"))
    )
    assert made.table.to_pydict() == {"n": [10, None, 7], "a": [1, None, 4]}
    assert made.kept is not None
    assert made.kept.tolist() == [0, 2, 3]
    assert made.failures is not None
    assert made.failures.rows.tolist() == [1]
    assert "Could not convert string 'x' to INT32" in made.failures.reasons[0]
    assert "LINE" not in made.failures.reasons[0]


def test_a_row_that_the_predicate_drops_does_not_fail() -> None:
    made = evaluate(ROWS, "a <> 2", ['CAST("Some name" AS INTEGER)'], Schema.of(("n", "INTEGER")))
    assert made.table.to_pydict() == {"n": [10, 7]}
    assert made.failures is None


def test_a_predicate_fails_like_any_expression() -> None:
    made = evaluate(ROWS, 'CAST("Some name" AS INTEGER) > 7', ["a"], Schema.of(("a", "BIGINT")))
    assert made.table.to_pydict() == {"a": [1]}
    assert made.failures is not None
    assert made.failures.rows.tolist() == [1]


def test_a_constant_that_fails_fails_every_row_and_no_empty_table() -> None:
    made = evaluate(ROWS, None, ["CAST('x' AS INTEGER)"], Schema.of(("n", "INTEGER")))
    assert made.table.num_rows == 0
    assert made.failures is not None
    assert made.failures.rows.tolist() == [0, 1, 2, 3]
    assert (
        evaluate(ROWS.slice(0, 0), None, ["CAST('x' AS INTEGER)"], Schema.of(("n", "INTEGER"))).failures
        is None
    )


def test_functions_that_answer_differently_each_time_may_fail_too() -> None:
    expression = 'CAST(random() * 0 AS INTEGER) + CAST("Some name" AS INTEGER)'
    made = evaluate(ROWS, None, [expression], Schema.of(("n", "INTEGER")))
    assert made.table.to_pydict() == {"n": [10, None, 7]}
    assert made.failures is not None
    assert made.failures.rows.tolist() == [1]


def test_a_failure_too_many_is_told_in_general_words() -> None:
    rows = pa.concat_tables([ROWS.slice(1, 1)] * 150)
    made = evaluate(rows, None, ['CAST("Some name" AS INTEGER)'], Schema.of(("n", "INTEGER")))
    assert made.failures is not None
    assert len(made.failures.reasons) == 150
    assert made.failures.reasons[-1].startswith("cannot be computed: CAST(")


def test_a_statement_that_is_wrong_itself_is_an_error() -> None:
    with pytest.raises(RunnerError, match="no_such_function"):
        evaluate(ROWS, None, ["no_such_function(a)"], Schema.of(("n", "INTEGER")))


def test_the_same_instant_whatever_the_machine_s_time_zone() -> None:
    made = evaluate(
        ROWS.slice(0, 1), None, ["make_timestamp(0)::TIMESTAMPTZ"], Schema.of(("t", "TIMESTAMPTZ"))
    )
    assert made.table.column("t").to_pylist() == [dt.datetime(1970, 1, 1, tzinfo=dt.UTC)]


TEXTS = st.sampled_from(["1", "-3", "x", "", "99999999999", None])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from([None, -1, 0, 1, 2**62]), TEXTS), max_size=30))
def test_failures_are_the_rows_that_fail_alone(values: list[tuple[int | None, str | None]]) -> None:
    columns = [[a for a, _ in values], [0.0] * len(values), [text for _, text in values]]
    rows = pa.table(columns, schema=INPUT.arrow)
    output = Schema.of(("x", "BIGINT"), ("n", "INTEGER"))
    expressions = ["a * 4", 'CAST("Some name" AS INTEGER)']
    made = evaluate(rows, "a <> 0", expressions, output)
    failed = set() if made.failures is None else set(made.failures.rows.tolist())
    kept = np.arange(len(rows)) if made.kept is None else made.kept
    alone = [evaluate(rows.slice(row, 1), "a <> 0", expressions, output) for row in range(len(rows))]
    assert failed == {row for row, each in enumerate(alone) if each.failures is not None}
    assert kept.tolist() == [row for row, each in enumerate(alone) if each.table.num_rows]
    assert made.table.to_pylist() == [row for each in alone for row in each.table.to_pylist()]
