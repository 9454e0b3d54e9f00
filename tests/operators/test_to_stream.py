"""The reference knows the whole answer at every instant, and compares neighbours."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.streams import (
    CLOCK_STEPS,
    TUPLES,
    Row,
    Tuples,
    clocks,
    cut,
    edge,
    events,
    living,
    run,
    scan,
    signed,
    stream,
)
from windrow.delta import Delta
from windrow.operators.to_stream import to_stream
from windrow.plan.emitting import ToStream
from windrow.plan.patterns import Pattern
from windrow.plan.rules.restore_results import restore_results
from windrow.plan.windows import Extent, Window, WindowSpec

START, END = -8, 50
LIVES = st.lists(st.integers(1, 15), min_size=30, max_size=30)
EVERY = st.one_of(st.none(), st.integers(1, 8))
FORMS = st.sampled_from([Pattern.WK, Pattern.STR])
Living = list[tuple[Row, int, int]]
Told = dict[int, Counter[Row]]


def lives(tuples: Tuples, lengths: list[int]) -> Living:
    return [(row, ts, ts + length) for (row, ts), length in zip(tuples, lengths, strict=False)]


def as_delta(live: Living, pattern: Pattern) -> Delta:
    """The same answer with ends that are known beforehand, or told by negative tuples."""
    if pattern is not Pattern.STR:
        return living(live, END)
    come = [(row, ts, +1) for row, ts, _ in live]
    gone = [(row, end, -1) for row, _, end in live if end <= END]
    return signed(sorted([*gone, *come], key=lambda each: each[1]), END)


def told(node: ToStream, live: Living, steps: list[int], restarts: bool) -> Told:
    """What the operator gives, by instant."""
    calls = [[part] for part in cut(as_delta(live, node.input.pattern), clocks(steps))]
    given_ = run(lambda: to_stream(node), calls, restarts=restarts)
    assert all(delta.sign is None and delta.exp is None for delta in given_)
    by_instant: Told = {}
    for row, ts, _, _ in events(given_):
        by_instant.setdefault(ts, Counter())[row] += 1
    return by_instant


def answer(live: Living, at: int) -> Counter[Row]:
    return Counter(row for row, ts, end in live if ts <= at < end)


def to_evaluation(at: int, every: int | None) -> int:
    return at if every is None else -(-at // every) * every


@settings(deadline=None)
@given(TUPLES, LIVES, EVERY, FORMS, CLOCK_STEPS, st.booleans())
def test_istream_tells_what_enters_the_answer(
    tuples: Tuples, lengths: list[int], every: int | None, form: Pattern, steps: list[int], restarts: bool
) -> None:
    live = lives(tuples, lengths)
    wanted: Told = {}
    for at in range(START, END + 1):
        new, told_at = answer(live, at) - answer(live, at - 1), to_evaluation(at, every)
        if new and told_at <= END:
            wanted[told_at] = wanted.get(told_at, Counter()) + new
    node = ToStream(edge(form), "Istream", every is not None, every)
    assert told(node, live, steps, restarts) == wanted


@settings(deadline=None)
@given(TUPLES, LIVES, FORMS, CLOCK_STEPS, st.booleans())
def test_dstream_tells_what_leaves_it(
    tuples: Tuples, lengths: list[int], form: Pattern, steps: list[int], restarts: bool
) -> None:
    live = lives(tuples, lengths)
    gone = {at: answer(live, at - 1) - answer(live, at) for at in range(START, END + 1)}
    node = ToStream(edge(form), "Dstream")
    assert told(node, live, steps, restarts) == {at: rows for at, rows in gone.items() if rows}


@settings(deadline=None)
@given(TUPLES, LIVES, FORMS, CLOCK_STEPS, st.booleans())
def test_rstream_tells_all_of_it_at_each_change(
    tuples: Tuples, lengths: list[int], form: Pattern, steps: list[int], restarts: bool
) -> None:
    live = lives(tuples, lengths)
    answers = {at: answer(live, at) for at in range(START - 1, END + 1)}
    changed = {at: rows for at, rows in answers.items() if rows != answers.get(at - 1, rows) and rows}
    assert told(ToStream(edge(form), "Rstream"), live, steps, restarts) == changed


@settings(deadline=None)
@given(TUPLES, LIVES, st.integers(1, 8), FORMS, CLOCK_STEPS, st.booleans())
def test_rstream_restore_also_tells_what_came_and_went_since_the_last_evaluation(
    tuples: Tuples, lengths: list[int], every: int, form: Pattern, steps: list[int], restarts: bool
) -> None:
    live = lives(tuples, lengths)
    wanted: Told = {}
    there: deque[tuple[Row, int]] = deque()
    for evaluation in range(-(-START // every) * every, END + 1, every):
        short_lived: Counter[Row] = Counter()
        changed = False
        for at in range(evaluation - every + 1, evaluation + 1):
            now, before = answer(live, at), answer(live, at - 1)
            changed = changed or now != before
            for row in (before - now).elements():
                oldest = next(each for each in there if each[0] == row)
                there.remove(oldest)
                short_lived[row] += oldest[1] > evaluation - every
            there.extend((row, at) for row in (now - before).elements())
        if changed and (rows := answer(live, evaluation) + short_lived):
            wanted[evaluation] = rows
    node = ToStream(edge(form), "Rstream", restore=True, every=every)
    assert told(node, live, steps, restarts) == wanted


@pytest.mark.parametrize("kind", ["Istream", "Rstream"])
def test_a_stream_that_only_grows_is_told_once(kind: str) -> None:
    tuples: Tuples = [((1, "a"), 3), ((1, "a"), 3), ((2, "b"), 4)]
    node = ToStream(scan(), kind)  # type: ignore[arg-type]
    given_ = run(lambda: to_stream(node), [[stream(tuples, 9)]])
    repeated = [((1, "a"), 4), ((1, "a"), 4)] if kind == "Rstream" else []
    assert [(row, ts) for row, ts, _, _ in events(given_)] == [*tuples[:2], *repeated, tuples[2]]


def test_rows_come_in_the_order_in_which_they_entered() -> None:
    # ts        1    2    3
    live: Living = [((2, ""), 1, 9), ((1, ""), 2, 3), ((0, ""), 3, 9)]
    given_ = run(lambda: to_stream(ToStream(edge(Pattern.WK), "Rstream")), [[living(live, 5)]])
    assert [(row[0], ts) for row, ts, _, _ in events(given_)] == [(2, 1), (2, 2), (1, 2), (2, 3), (0, 3)]


def test_memory_is_free_when_the_answer_is_empty() -> None:
    operator = to_stream(ToStream(edge(Pattern.WK), "Rstream"))
    operator.on_deltas([living([((1, "a"), 1, 5), ((1, "a"), 2, 5)], 4)])
    assert operator.save()
    operator.on_deltas([living([], 5)])
    assert not operator.save()


def window(slide: int | None, extent: Extent = Extent.TIME) -> Window:
    return Window(scan(), WindowSpec(extent, 10, slide))


def restoring(node: Window) -> ToStream:
    return ToStream(node, "Istream", restore=True)


def test_a_restored_output_takes_the_slide_from_its_windows() -> None:
    planned = restore_results(restoring(window(5)))
    assert planned == ToStream(window(None), "Istream", restore=True, every=5)
    assert restore_results(planned) == planned
    assert planned.detail == "Istream-restore every 5 microseconds"


def test_without_a_slide_there_is_nothing_to_restore() -> None:
    assert restore_results(restoring(window(None))) == restoring(window(None))


def test_windows_of_a_stream_below_keep_their_slide() -> None:
    inner = ToStream(window(3), "Istream")
    outer = Window(inner, WindowSpec(Extent.TIME, 20, 5))
    planned = restore_results(restoring(outer))
    assert planned == ToStream(replace(outer, spec=WindowSpec(Extent.TIME, 20)), "Istream", True, 5)


@pytest.mark.parametrize("node", [window(2, Extent.COUNT), window(5)], ids=["tuples", "dstream"])
def test_what_cannot_be_restored_is_refused(node: Window) -> None:
    kind = "Istream" if node.spec.extent is Extent.COUNT else "Dstream"
    with pytest.raises(ValueError, match="restored"):
        ToStream(node, kind, restore=True)  # type: ignore[arg-type]
