"""The memory sink against multisets counted in plain Python."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.delta import BEGINNING, Delta
from windrow.errors import SinkError
from windrow.schema import Schema
from windrow.sinks.memory import MemorySink

SCHEMA = Schema.of(("item", "VARCHAR"), ("price", "DOUBLE"), ("tags", "INTEGER[]"))
Row = tuple[str | None, float | None, tuple[int, ...] | None]
ROWS = st.tuples(
    st.sampled_from([None, "", "a", "b"]),
    st.sampled_from([None, 0.5, float("inf"), -1.0]),
    st.sampled_from([None, (), (1,), (1, 2)]),
)


def delta_of(rows: Iterable[Row], signs: Iterable[int] | None = None, clock: int = 100) -> Delta:
    rows = list(rows)
    columns = [pa.array([row[i] for row in rows], field.type) for i, field in enumerate(SCHEMA.arrow)]
    sign = None if signs is None else np.array(list(signs), np.int8)
    return Delta(clock, pa.table(columns, schema=SCHEMA.arrow), np.arange(len(rows)), sign=sign)


def opened(memory_rows: int = 1000) -> MemorySink:
    sink = MemorySink(memory_rows=memory_rows)
    sink.open(SCHEMA)
    return sink


def rows_of(table: pa.Table) -> list[Row]:
    columns = (table[name].to_pylist() for name in SCHEMA.names)
    return [
        (item, price, None if tags is None else tuple(tags))
        for item, price, tags in zip(*columns, strict=True)
    ]


@settings(deadline=None)
@given(st.lists(st.lists(st.tuples(ROWS, st.booleans()), max_size=8), max_size=8), st.integers(1, 50))
def test_the_answer_is_inserts_minus_deletes(batches: list[list[tuple[Row, bool]]], limit: int) -> None:
    """`limit` moves how often the rows are put together; it is never reached by the answer itself."""
    sink = opened(memory_rows=limit * 100)
    expected: Counter[Row] = Counter()
    for number, batch in enumerate(batches):
        signs = [-1 if leaves and expected[row] > 0 else 1 for row, leaves in batch]
        for (row, _), sign in zip(batch, signs, strict=True):
            expected[row] += sign
        sink.write(number, delta_of([row for row, _ in batch], signs))
        assert Counter(rows_of(sink.answer())) == +expected


@settings(deadline=None)
@given(st.lists(st.lists(ROWS, max_size=5), max_size=5), st.sets(st.integers(0, 4)))
def test_changes_gives_each_change_once_and_in_order(
    batches: list[list[Row]], asked_after: set[int]
) -> None:
    sink = opened()
    got: list[Row] = []
    for number, batch in enumerate(batches):
        sink.write(number, delta_of(batch))
        if number in asked_after:
            got += rows_of(sink.changes())
    got += rows_of(sink.changes())
    assert got == [row for batch in batches for row in batch]
    assert len(sink.changes()) == 0


def test_a_delete_before_its_insert_cancels_it() -> None:
    sink = opened()
    sink.write(0, delta_of([("a", 1.0, None)], [-1]))
    assert len(sink.answer()) == 0
    sink.write(1, delta_of([("a", 1.0, None), ("a", 1.0, None)]))
    assert rows_of(sink.answer()) == [("a", 1.0, None)]


def test_the_answer_of_what_only_grows_keeps_arrival_order() -> None:
    sink = opened()
    rows: list[Row] = [("b", 1.0, None), ("a", 2.0, None), ("b", 1.0, None)]
    sink.write(0, delta_of(rows[:2]))
    sink.write(1, delta_of(rows[2:]))
    assert rows_of(sink.answer()) == rows


def test_a_batch_given_again_counts_once() -> None:
    sink = opened()
    for number in (0, 1, 1, 0):
        sink.write(number, delta_of([("a", 1.0, None)]))
    assert len(sink.changes()) == 2
    assert len(sink.answer()) == 2


def test_the_clock_is_that_of_the_last_batch() -> None:
    sink = opened()
    assert sink.clock == BEGINNING
    sink.write(0, delta_of([], clock=7))
    assert sink.clock == 7


def test_before_any_batch_there_are_the_columns() -> None:
    sink = opened()
    assert sink.answer().schema == SCHEMA.arrow
    assert sink.changes().column_names == ["op", "ts", *SCHEMA.names]


def test_unread_changes_beyond_the_limit_are_dropped_counted_and_told_once() -> None:
    sink = opened(memory_rows=5)
    sink.write(0, delta_of([(str(i), 0.0, None) for i in range(4)]))
    sink.write(1, delta_of([(str(i), 0.0, None) for i in range(4, 8)], [-1, 1, 1, 1]))
    with pytest.raises(SinkError, match=r"the oldest 3 changes were dropped.*memory_rows = 5"):
        sink.changes()
    kept = sink.changes()
    assert kept["item"].to_pylist() == ["3", "4", "5", "6", "7"]
    assert kept["op"].to_pylist() == ["+I", "-D", "+I", "+I", "+I"]
    sink.write(2, delta_of([("new", 0.0, None)]))
    assert sink.changes()["item"].to_pylist() == ["new"]


def test_an_answer_that_outgrows_the_limit_is_refused_not_cut() -> None:
    sink = opened(memory_rows=3)
    sink.write(0, delta_of([("a", 0.0, None)] * 4))
    for _ in range(2):
        with pytest.raises(SinkError, match="outgrown memory_rows = 3"):
            sink.answer()


def test_a_sink_that_is_not_open_says_so() -> None:
    with pytest.raises(SinkError, match="not open yet"):
        MemorySink().changes()


def test_threads_read_what_another_writes() -> None:
    """One writes, two fetch: together they get every change once."""
    sink = opened(memory_rows=100_000)
    done = threading.Event()
    got: list[list[str]] = [[], []]

    def fetch(into: list[str]) -> None:
        last = False
        while not last:
            last = done.is_set()
            into += sink.changes()["item"].to_pylist()

    readers = [threading.Thread(target=fetch, args=(into,)) for into in got]
    for reader in readers:
        reader.start()
    for number in range(200):
        sink.write(number, delta_of([(str(number), 0.0, None)]))
    done.set()
    for reader in readers:
        reader.join(30)
    assert sorted(map(int, got[0] + got[1])) == list(range(200))
    assert len(sink.answer()) == 200
