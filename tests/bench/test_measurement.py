"""Figures over contenders that say themselves how long they took."""

from __future__ import annotations

import pytest

from bench.measuring.measurement import Bound, Contender, Measurement, Run, measure


def telling(name: str, log: list[str], *seconds: float) -> Contender:
    answers = iter(seconds)

    def contender() -> float:
        log.append(name)
        return next(answers)

    return contender


def test_contenders_take_turns_and_the_first_turn_does_not_count() -> None:
    log: list[str] = []
    contenders = {"ours": telling("ours", log, 99, 2, 4), "theirs": telling("theirs", log, 99, 1, 1)}
    measured = measure("turns", contenders, work=8, rounds=2)
    assert log == ["ours", "theirs", "ours", "theirs", "theirs", "ours"]
    assert measured.runs == (Run("ours", 8, (2, 4)), Run("theirs", 8, (1, 1)))


def test_a_contender_that_gives_nothing_is_timed() -> None:
    measured = measure("timed", {"ours": lambda: None}, work=1, rounds=1)
    assert measured.runs[0].median >= 0


OURS, THEIRS = Run("ours", 100, (2.0, 1.0, 4.0)), Run("theirs", 100, (1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    ("bound", "value", "met"),
    [
        (Bound("ours", "theirs", at_least=0.7), 0.5, False),
        (Bound("ours", "theirs", at_least=0.5), 0.5, True),
        (Bound("ours", "theirs", by="time", at_most=2), 2.0, True),
        (Bound("ours", "theirs", by="time", at_most=1.5), 2.0, False),
        (Bound("ours", at_least=40), 50.0, True),
        (Bound("ours", "theirs"), 0.5, True),
    ],
)
def test_a_bound_is_held_against_the_median_of_the_rounds(bound: Bound, value: float, met: bool) -> None:
    measurement = Measurement("ratio", "tuples", (OURS, THEIRS), (bound,))
    assert measurement.value(bound) == value
    assert (bound not in measurement.missed) is met
