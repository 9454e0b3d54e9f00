"""The aggregates that come with windrow do what they say."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.aggregates.user_defined.playing import given, played
from windrow import library
from windrow.aggregates.user_defined.choose import machine_for, obstacle
from windrow.catalog import Aggregate, Catalog
from windrow.language.define_aggregate import define_aggregate
from windrow.language.parser import parse

INTERPRETED = {"concatenation": "concat()"}
SKETCHES = {
    "about_distinct": "hll_sketch",
    "about_count": "count_min_sketch",
    "about_quantile": "tdigest_double",
}
IN_PYTHON = {name: f"the attribute _sketch, of type {sketch}" for name, sketch in SKETCHES.items()}
"""All others are compiled."""


@cache
def catalog() -> Catalog:
    known = Catalog()
    for name in library.names():
        for statement in parse(library.text(name)):
            known.add(define_aggregate(statement, known))  # type: ignore[arg-type]
    return known


def aggregate(name: str, *, window: bool = False) -> Aggregate:
    found = catalog().aggregate(name, window=window)
    assert found is not None
    return found


def results(
    which: Aggregate, rows: list[tuple[Any, ...]], size: int | None = None, *, asks: bool = True
) -> list[Any]:
    """What is returned of each row: with a window of so many rows, and TERMINATE behind each if it asks."""
    steps: list[tuple[Any, ...] | str] = []
    of_row: dict[int, int] = {}
    for place, row in enumerate(rows):
        if size is not None and place >= size:
            steps.append("(-0)")
        steps.append(("+0", *row))
        of_row[len(steps) - 1] = place
        if asks:
            steps.append("!0")
            of_row[len(steps) - 1] = place
    found = given(played(machine_for(which), which, *steps))
    return [value for step, value in found if step in of_row]


def frames(rows: list[tuple[Any, ...]], size: int) -> list[list[tuple[Any, ...]]]:
    return [rows[max(0, place - size + 1) : place + 1] for place in range(len(rows))]


def numbers(seed: int, count: int, width: int) -> list[tuple[float, ...]]:
    return [tuple(row) for row in np.random.default_rng(seed).normal(size=(count, width)).tolist()]


def test_they_are_compiled() -> None:
    everything = [each for versions in catalog().aggregates.values() for each in versions]
    assert {each.name: why for each in everything if (why := obstacle(each))} == INTERPRETED | IN_PYTHON


EXPECTED = {
    "mean": (1, lambda rows: np.mean(rows)),
    "variance_of": (1, lambda rows: np.var(rows)),
    "covariance_of": (2, lambda rows: np.cov(np.array(rows).T, bias=True)[0, 1]),
    "correlation_of": (2, lambda rows: np.corrcoef(np.array(rows).T)[0, 1]),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_both_versions_of_statistics(name: str) -> None:
    width, compute = EXPECTED[name]
    rows = numbers(1, 60, width)
    windows = [compute(frame) for frame in frames(rows, 10)[1:]]
    assert results(aggregate(name, window=True), rows, 10)[1:] == pytest.approx(windows)
    wholes = [compute(rows[: place + 1]) for place in range(1, len(rows))]
    assert results(aggregate(name), rows)[1:] == pytest.approx(wholes)


def test_means_as_tuples_come() -> None:
    rows = numbers(2, 40, 1)
    values = [value for (value,) in rows]
    moving = results(aggregate("mean_of_window", window=True), rows, 7, asks=False)
    assert moving == pytest.approx([np.mean(frame) for frame in frames(rows, 7)])
    cumulative = results(aggregate("cumulative_mean"), rows, asks=False)
    assert cumulative == pytest.approx(np.cumsum(values) / np.arange(1, 41))
    decayed = [values[0]]
    for value in values[1:]:
        decayed.append(0.9 * decayed[-1] + 0.1 * value)
    assert results(aggregate("decaying_mean"), rows, asks=False) == pytest.approx(decayed)


def test_peaks() -> None:
    rows = numbers(3, 50, 1)
    peaks = results(aggregate("peak", window=True), rows, 8, asks=False)
    assert peaks == [max(frame)[0] for frame in frames(rows, 8)]


def test_concatenation() -> None:
    assert results(aggregate("concatenation"), [("a",), ("",), ("bc",)]) == ["a", "a", "abc"]


def test_a_priority_sample_is_what_has_the_highest_priority() -> None:
    rows = [(item, float(priority)) for item, (priority,) in enumerate(numbers(4, 60, 1))]
    samples = results(aggregate("priority_sample", window=True), rows, 9, asks=False)
    assert samples == [max(frame, key=lambda row: row[1])[0] for frame in frames(rows, 9)]


def test_a_reservoir_gives_each_the_same_chance() -> None:
    steps: list[tuple[Any, ...] | str] = []
    items = np.random.default_rng(7).integers(0, 10**6, (2000, 10))
    for group, run in enumerate(items.tolist()):
        steps += [*((f"+{group}", item) for item in run), f"!{group}"]
    reservoir = aggregate("reservoir")
    samples = [value for _, value in given(played(machine_for(reservoir), reservoir, *steps))]
    places = Counter(run.index(sample) for run, sample in zip(items.tolist(), samples, strict=True))
    assert len(places) == 10
    assert all(140 < count < 260 for count in places.values())


def test_frequencies_are_never_too_low() -> None:
    items = np.random.default_rng(5).zipf(1.5, 300) % 500
    rows = [(int(item),) for item in items]
    guesses = results(aggregate("about_frequency", window=True), rows, 50, asks=False)
    truths = [frame.count(frame[-1]) for frame in frames(rows, 50)]
    assert all(guess >= truth for guess, truth in zip(guesses, truths, strict=True))
    assert np.mean(np.subtract(guesses, truths)) < 1


def test_ones_of_the_last_are_about_right() -> None:
    bits = np.random.default_rng(6).integers(0, 2, 600)
    guesses = results(aggregate("ones_of_last"), [(int(bit), 100) for bit in bits], asks=False)
    truths = [int(bits[max(0, place - 99) : place + 1].sum()) for place in range(len(bits))]
    errors = [abs(guess - truth) / max(truth, 1) for guess, truth in zip(guesses, truths, strict=True)]
    assert max(errors[100:]) < 0.5
    assert np.mean(errors[100:]) < 0.2


def test_a_pause_begins_a_new_case() -> None:
    noon = datetime(2026, 1, 1, 12)
    seconds = [0, 1, 3, 6, 7, 20]
    rows = [(f"t{second}", noon + timedelta(seconds=second)) for second in seconds]
    cases = [number for _, number in results(aggregate("packed_case"), rows, asks=False)]
    assert cases == [1, 1, 1, 2, 2, 3]


def test_visits_are_told_behind_a_pause() -> None:
    noon = datetime(2026, 1, 1, 12)
    times = [noon + timedelta(seconds=second) for second in (0, 20, 40, 80, 81, 200)]
    visits = results(aggregate("visit"), [(time,) for time in times], asks=False)
    assert visits == [(times[0], times[2], 3), (times[3], times[4], 2)]


def test_steps_in_order() -> None:
    noon = datetime(2026, 1, 1, 12)
    steps = [2, 1, 2, None, 3, 1, 1, 2, 3, 1, 3, 2, 3]
    times = [noon + timedelta(seconds=second) for second in range(len(steps))]
    found = results(
        aggregate("in_order"),
        [(step, 3, time) for step, time in zip(steps, times, strict=True)],
        asks=False,
    )
    assert found == [(times[1], times[4]), (times[6], times[8])]
