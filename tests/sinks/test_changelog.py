"""A delta as a table of changes, in each of its styles."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.delta import Delta
from windrow.errors import SettingError
from windrow.schema import Schema
from windrow.sinks.changelog import Changelog

SCHEMA = pa.schema([("item", pa.string()), ("price", pa.int32())])
CHANGES = st.lists(
    st.tuples(
        st.sampled_from([1, -1]),
        st.integers(0, 10**15),
        st.one_of(st.none(), st.text(max_size=3)),
        st.one_of(st.none(), st.integers(-5, 5)),
    ),
    max_size=30,
)


def delta_of(changes: Sequence[tuple[int, int, str | None, int | None]], *, signed: bool = True) -> Delta:
    signs, instants, items, prices = zip(*changes, strict=True) if changes else ((), (), (), ())
    rows = pa.table([pa.array(items, pa.string()), pa.array(prices, pa.int32())], schema=SCHEMA)
    sign = np.array(signs, np.int8) if signed else None
    return Delta(10**15, rows, np.array(instants, np.int64), sign=sign)


@settings(deadline=None)
@given(CHANGES)
def test_full_tells_operation_instant_and_columns_in_order(
    changes: list[tuple[int, int, str | None, int | None]],
) -> None:
    told = Changelog().full(delta_of(changes))
    assert told.column_names == ["op", "ts", "item", "price"]
    assert told["op"].to_pylist() == ["+I" if sign > 0 else "-D" for sign, *_ in changes]
    assert told["ts"].cast(pa.int64()).to_pylist() == [ts for _, ts, *_ in changes]
    assert told["item"].to_pylist() == [item for *_, item, _ in changes]


@settings(deadline=None)
@given(CHANGES)
def test_diff_tells_the_sign_as_a_number(changes: list[tuple[int, int, str | None, int | None]]) -> None:
    told = Changelog("diff").full(delta_of(changes))
    assert told.column_names == ["change", "ts", "item", "price"]
    assert told["change"].to_pylist() == [sign for sign, *_ in changes]
    assert told["change"].type == pa.int32()


def test_change_type_tells_sparks_words() -> None:
    told = Changelog("_change_type").full(delta_of([(1, 5, "a", 1), (-1, 6, "a", 1)]))
    assert told["_change_type"].to_pylist() == ["insert", "delete"]


@pytest.mark.parametrize("style", ["op", "diff", "_change_type"])
def test_a_delta_without_signs_only_inserts(style: str) -> None:
    changes = [(1, 5, "a", 1), (1, 6, "b", 2)]
    log = Changelog(style)
    assert log.full(delta_of(changes, signed=False)).equals(log.full(delta_of(changes)))


@pytest.mark.parametrize("style", ["op", "diff", "_change_type"])
def test_no_changes_have_the_columns_of_changes(style: str) -> None:
    log = Changelog(style)
    assert log.empty(SCHEMA).schema.equals(log.full(delta_of([(1, 5, "a", 1)])).schema)


def test_control_columns_give_way_to_columns_of_the_query() -> None:
    rows = pa.table({"TS": [1], "op": ["mine"], "_op": [0]})
    told = Changelog().full(Delta(9, rows, np.array([5])))
    assert told.column_names == ["__op", "_ts", "TS", "op", "_op"]
    assert told["op"].to_pylist() == ["mine"]


@pytest.mark.parametrize(
    ("append_only", "signed", "columns"),
    [
        (None, False, ["item", "price"]),
        (None, True, ["op", "ts", "item", "price"]),
        (True, True, ["item", "price"]),
        (False, False, ["op", "ts", "item", "price"]),
    ],
)
def test_brief_leaves_the_operation_out_of_what_only_adds(
    append_only: bool | None, signed: bool, columns: list[str]
) -> None:
    log = Changelog(append_only=append_only)
    assert log.brief(delta_of([(1, 5, "a", 1)], signed=signed)).column_names == columns


def test_an_unknown_style_is_refused_with_the_choices() -> None:
    with pytest.raises(SettingError, match="choices are: op, diff, _change_type"):
        Changelog("flink")


KEYED = Changelog(key=Schema.of(("item", "VARCHAR")))


def told(log: Changelog, *changes: tuple[int, int, str | None, int | None]) -> list[tuple[object, ...]]:
    return [tuple(row.values())[0::2] for row in log.full(delta_of(changes)).to_pylist()]


def test_a_row_that_changes_is_told_as_an_update() -> None:
    assert told(KEYED, (1, 5, "a", 1), (-1, 6, "a", 1), (1, 6, "a", 2), (-1, 7, "a", 2)) == [
        ("+I", "a"),
        ("-U", "a"),
        ("+U", "a"),
        ("-D", "a"),
    ]


def test_the_halves_of_an_update_stand_side_by_side() -> None:
    changes = [
        (-1, 5, "a", 1),
        (-1, 5, "b", 1),
        (-1, 5, None, 1),
        (1, 5, None, 2),
        (1, 5, "c", 1),
        (1, 5, "a", 2),
    ]
    assert told(KEYED, *changes) == [
        ("-U", "a"),
        ("+U", "a"),
        ("-D", "b"),
        ("-U", None),
        ("+U", None),
        ("+I", "c"),
    ]
    assert [row[0] for row in told(KEYED, (-1, 5, "a", 1), (1, 6, "a", 2))] == ["-D", "+I"]


def test_what_came_and_went_is_no_update() -> None:
    assert [row[0] for row in told(KEYED, (1, 5, "a", 1), (-1, 5, "a", 1))] == ["+I", "-D"]


def test_a_result_of_one_row_only_changes() -> None:
    one_row = Changelog(key=Schema(()))
    assert [row[0] for row in told(one_row, (1, 1, "a", 1), (-1, 2, "a", 1), (1, 2, "b", 2))] == [
        "+I",
        "-U",
        "+U",
    ]


def test_every_style_has_words_for_updates() -> None:
    changes = [(-1, 5, "a", 1), (1, 5, "a", 2)]
    spark = Changelog("_change_type", key=Schema.of(("item", "VARCHAR")))
    assert [row[0] for row in told(spark, *changes)] == ["update_preimage", "update_postimage"]
    diff = Changelog("diff", key=Schema.of(("item", "VARCHAR")))
    assert [row[0] for row in told(diff, *changes)] == [-1, 1]
    assert KEYED.brief(delta_of(changes))["op"].to_pylist() == ["-U", "+U"]


@settings(deadline=None)
@given(CHANGES)
def test_telling_updates_changes_nothing_but_words_and_order_within_an_instant(
    changes: list[tuple[int, int, str | None, int | None]],
) -> None:
    changes = sorted(changes, key=lambda change: change[1])
    plain, keyed = Changelog().full(delta_of(changes)), KEYED.full(delta_of(changes))
    assert keyed["ts"].equals(plain["ts"])
    as_written = {"-U": "-D", "+U": "+I"}
    rows = [tuple(row.values()) for row in keyed.to_pylist()]
    undone = [(as_written.get(op, op), *rest) for op, *rest in rows]
    assert sorted(undone, key=repr) == sorted((tuple(row.values()) for row in plain.to_pylist()), key=repr)
    for before, after in pairwise(rows):
        assert (before[0] == "-U") == (after[0] == "+U")
        if before[0] == "-U":
            assert before[1:3] == after[1:3]
