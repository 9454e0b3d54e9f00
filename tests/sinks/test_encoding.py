"""Text of tables, read back by independent readers."""

from __future__ import annotations

import datetime
import io
import json
import math

import duckdb
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.sinks import encoding

COLUMNS = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
        st.one_of(st.none(), st.text()),
        st.one_of(st.none(), st.floats()),
        st.one_of(st.none(), st.booleans()),
    ),
    max_size=20,
)


def table_of(rows: list[tuple[int | None, str | None, float | None, bool | None]]) -> pa.Table:
    types = [pa.int64(), pa.string(), pa.float64(), pa.bool_()]
    columns = [pa.array([row[i] for row in rows], type_) for i, type_ in enumerate(types)]
    return pa.table(columns, names=["i", 'text "q"', "f", "b"])


def written(pieces: list[pa.Buffer]) -> bytes:
    return b"".join(piece.to_pybytes() for piece in pieces)


@settings(deadline=None)
@given(COLUMNS, st.integers(0, 5))
def test_json_lines_say_what_the_rows_say(
    rows: list[tuple[int | None, str | None, float | None, bool | None]], skipped: int
) -> None:
    lines = written(encoding.text(table_of(rows).slice(skipped), "json")).decode().split("\n")[:-1]
    told = [json.loads(line, parse_constant=pytest.fail) for line in lines]
    assert [(o["i"], o['text "q"'], o["b"]) for o in told] == [(i, t, b) for i, t, _, b in rows[skipped:]]
    for object_, (_, _, number, _) in zip(told, rows[skipped:], strict=True):
        if number is None:
            assert object_["f"] is None
        elif math.isnan(number):
            assert object_["f"] == "NaN"
        else:
            assert float(object_["f"]) == number


@settings(deadline=None)
@given(COLUMNS)
def test_csv_says_what_the_rows_say(
    rows: list[tuple[int | None, str | None, float | None, bool | None]],
) -> None:
    table = table_of(rows)
    text = written(encoding.text(table, "csv", header=True))
    options = pa_csv.ConvertOptions(
        column_types=table.schema, strings_can_be_null=True, quoted_strings_can_be_null=False
    )
    parsing = pa_csv.ParseOptions(newlines_in_values=True)
    back = pa_csv.read_csv(io.BytesIO(text), parse_options=parsing, convert_options=options)
    assert back.drop_columns("f").equals(table.drop_columns("f"))


def test_what_csv_has_no_form_for_is_written_as_duckdb_casts_it() -> None:
    table = duckdb.sql(
        "SELECT [1, NULL] AS l, {'a': 'x'} AS s, MAP {'k': 1} AS m,"
        " INTERVAL 90 MINUTE AS v, encode('é') AS b, 1 AS i"
    ).to_arrow_table()
    assert written(encoding.text(table, "csv")).decode() == (
        '"[1, NULL]","{\'a\': x}","{k=1}","01:30:00","\\xC3\\xA9",1\n'
    )


def test_instants_are_told_without_a_zone_of_the_machine() -> None:
    instant = datetime.datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=datetime.UTC)
    table = pa.table({"z": pa.array([instant], pa.timestamp("us", "UTC"))})
    assert json.loads(written(encoding.text(table, "json"))) == {"z": "2026-01-02 03:04:05.000006+00"}


def test_many_rows_come_whole() -> None:
    table = pa.table({"i": range(300_000)})
    text = written(encoding.text(table, "json"))
    assert text.count(b"\n") == 300_000
    assert text.endswith(b'{"i":299999}\n')
