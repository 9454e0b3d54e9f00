"""The reference says after each tuple what the window holds: the newest so many, as of its last move."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.streams import (
    CLOCK_STEPS,
    TUPLES,
    Row,
    Tuples,
    clocks,
    contents,
    cut,
    events,
    run,
    scan,
    stream,
)
from windrow.operators.base import Operator
from windrow.operators.count_window import CountWindow
from windrow.operators.window import window_operator
from windrow.plan.windows import Extent, Window, WindowSpec

END = 60
SIZES = st.one_of(st.integers(1, 5), st.just(1000))
SLIDES = st.one_of(st.none(), st.integers(1, 7))
PARTITIONS = st.sampled_from([(), ("k",), ("v", "k")])


def window(size: int, slide: int | None = None, partition: tuple[str, ...] = ()) -> Window:
    return Window(scan(), WindowSpec(Extent.COUNT, size, slide, partition))


def held(tuples: Tuples, node: Window, at: int) -> Counter[Row]:
    places = [node.input.schema.names.index(name) for name in node.spec.partition]
    come: dict[Row, list[Row]] = {}
    for row, ts in tuples:
        if ts <= at:
            come.setdefault(tuple(row[place] for place in places), []).append(row)
    there: Counter[Row] = Counter()
    for rows in come.values():
        moved = len(rows) // (node.spec.slide or 1) * (node.spec.slide or 1)
        there.update(rows[max(0, moved - node.spec.size) : moved])
    return there


@settings(deadline=None)
@given(TUPLES, SIZES, SLIDES, PARTITIONS, CLOCK_STEPS, st.booleans())
def test_holds_what_the_definition_says_at_every_instant(
    tuples: Tuples,
    size: int,
    slide: int | None,
    partition: tuple[str, ...],
    steps: list[int],
    restarts: bool,
) -> None:
    node = window(size, slide, partition)

    def new() -> Operator:
        return window_operator(node)

    given_ = run(new, [[part] for part in cut(stream(tuples, END), clocks(steps))], restarts=restarts)
    for at in range(-8, END):
        assert contents(given_, at) == held(tuples, node, at)


def changes(node: Window, rows: list[Row]) -> list[tuple[Row, int, int]]:
    """Row, timestamp and sign of what the window gives of rows that come one microsecond apart."""
    tuples = [(row, ts) for ts, row in enumerate(rows, 1)]
    given_ = run(lambda: window_operator(node), [[stream(tuples, len(rows))]])
    return [(row, ts, sign) for row, ts, _, sign in events(given_)]


def test_the_oldest_is_pushed_out_when_one_too_many_comes() -> None:
    assert changes(window(2), [(1, ""), (2, ""), (3, ""), (4, "")]) == [
        ((1, ""), 1, +1),
        ((2, ""), 2, +1),
        ((1, ""), 3, -1),
        ((3, ""), 3, +1),
        ((2, ""), 4, -1),
        ((4, ""), 4, +1),
    ]


def test_each_value_has_a_window_of_its_own() -> None:
    rows: list[Row] = [(1, "a"), (2, "b"), (None, "c"), (1, "d"), (None, "e")]
    assert changes(window(1, partition=("k",)), rows) == [
        ((1, "a"), 1, +1),
        ((2, "b"), 2, +1),
        ((None, "c"), 3, +1),
        ((1, "a"), 4, -1),
        ((1, "d"), 4, +1),
        ((None, "c"), 5, -1),
        ((None, "e"), 5, +1),
    ]


def test_the_window_moves_each_time_so_many_have_come() -> None:
    # ROWS 3 SLIDE 2: moves at the second tuple, and at the fourth
    rows: list[Row] = [(n, "") for n in range(1, 6)]
    assert changes(window(3, 2), rows) == [
        ((1, ""), 2, +1),
        ((2, ""), 2, +1),
        ((1, ""), 4, -1),
        ((3, ""), 4, +1),
        ((4, ""), 4, +1),
    ]


def test_a_window_smaller_than_its_slide_never_sees_some_tuples() -> None:
    rows: list[Row] = [(n, "") for n in range(1, 7)]
    assert changes(window(1, 3), rows) == [((3, ""), 3, +1), ((3, ""), 6, -1), ((6, ""), 6, +1)]


@pytest.mark.parametrize("partition", [(), ("k",)])
def test_memory_follows_the_size_of_the_window(partition: tuple[str, ...]) -> None:
    operator = CountWindow(window(10, partition=partition))
    for start in range(0, 30_000, 300):
        operator.on_deltas([stream([((n % 7, str(n)), n) for n in range(start, start + 300)], start + 300)])
    saved = operator.save()
    assert sum(len(part) for name, part in saved.items() if "rows" in name) < 2 * 700
    assert len(operator._chain) < 4 * 700


def test_keys_beyond_the_first_thousand_have_windows_too() -> None:
    tuples: Tuples = [((n % 3000, ""), n) for n in range(9000)]
    given_ = run(
        lambda: CountWindow(window(2, partition=("k",))),
        [[part] for part in cut(stream(tuples, 9000), [10, 5000])],
        restarts=True,
    )
    assert contents(given_, 9000) == Counter({(key, ""): 2 for key in range(3000)})


def test_what_does_not_change_is_saved_as_it_was() -> None:
    operator = CountWindow(window(100_000, 50_000, ("k",)))
    keys = np.arange(100_000) % 20_000
    operator.on_deltas([stream([((int(key), ""), n) for n, key in enumerate(keys)], 100_000)])
    first = operator.save()
    operator.on_deltas([stream([((5, ""), 100_001)], 100_001)])
    second = operator.save()
    same = [name for name, part in second.items() if first.get(name) is part]
    assert sum(len(second[name]) for name in same) > 0.9 * sum(len(part) for part in second.values())
