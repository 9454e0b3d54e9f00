"""Istream and its like: what they tell follows from neighbouring answers, and these from DuckDB."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.windows import (
    END,
    STORIES,
    Answers,
    Row,
    Story,
    Windowed,
    of_time,
    replayed,
    tuples,
)

QUERIES = (
    "SELECT /k, v/ FROM {S} WHERE v > 0",
    "SELECT /S.k, T.v/ FROM {S} JOIN {T} ON S.k = T.v",
    "SELECT /k, count(*) AS n/ FROM {S} GROUP BY k",
    "SELECT /k/ FROM {S} WHERE k NOT IN (SELECT v FROM {T})",
)
"""Between slashes is what an output operator stands around."""


def plain(query: str) -> str:
    return query.replace("/", "")


def under(operator: str, query: str) -> str:
    return query.replace("/", f"{operator}(", 1).replace("/", ")")


def by_second(told: list[tuple[int, str, Row]]) -> Answers:
    """What a stream tells at each second."""
    answers: Answers = [Counter() for _ in range(END + 1)]
    for second, operation, row in told:
        assert operation == "+I"
        answers[second][row] += 1
    return answers


def entered(answers: Answers) -> Answers:
    return [now - before for before, now in zip([Counter(), *answers], answers, strict=False)]


@settings(deadline=None, max_examples=12)
@given(STORIES, st.sampled_from(QUERIES), st.sampled_from(["upa", "negative"]))
def test_streams_tell_what_enters_and_leaves_an_answer_and_all_of_it(
    story: Story, query: str, expiration: str
) -> None:
    answers = story.answers(plain(query))
    steps = list(zip([Counter(), *answers], answers, strict=False))
    left = [before - now for before, now in steps]
    changed = [now if now != before else Counter() for before, now in steps]
    for operator, wanted in (("Istream", entered(answers)), ("Dstream", left), ("Rstream", changed)):
        assert by_second(story.told(under(operator, query), expiration=expiration)) == wanted, operator


@settings(deadline=None, max_examples=12)
@given(STORIES, st.sampled_from(QUERIES[:3]), st.integers(2, 5), st.integers(2, 9), st.integers(2, 9))
def test_restored_is_what_came_and_went_between_two_evaluations(
    story: Story, query: str, every: int, size: int, other: int
) -> None:
    sizes = size * every, other
    moving = replace(story, windows=(of_time(sizes[0], None), of_time(sizes[1], None)))
    sliding = replace(story, windows=(of_time(sizes[0], every), of_time(sizes[1], every)))
    wanted: Answers = [Counter() for _ in range(END + 1)]
    for second, new in enumerate(entered(moving.answers(plain(query)))):
        told_at = -(-second // every) * every
        if told_at <= END:
            wanted[told_at] += new
    assert by_second(sliding.told(under("Istream-restore", query))) == wanted


def pairs(story: Story, sizes: tuple[int, int], second: int, last: int = END) -> Counter[Row]:
    """The pairs that were made in the seconds up to this one, so many of them."""
    made: Counter[Row] = Counter()
    for k, v, t in story.s:
        for other_k, other_v, other_t in story.t:
            at = max(t, other_t)
            together = t > at - sizes[0] and other_t > at - sizes[1] and k is not None and k == other_k
            if together and second - last < at <= second:
                made[v, other_v] += 1
    return made


SIZES = st.tuples(st.integers(1, 9), st.integers(1, 9))
JOIN = "SELECT {0} FROM {S} JOIN {T} ON S.k = T.k"


@settings(deadline=None, max_examples=12)
@given(STORIES, SIZES, st.integers(1, 9))
def test_a_window_on_the_output_holds_the_results_of_the_last_seconds(
    story: Story, sizes: tuple[int, int], last: int
) -> None:
    story = replace(story, windows=(of_time(sizes[0], None), of_time(sizes[1], None)))
    query = JOIN.replace("{0}", f"Wstream(S.v, T.v AS w)[RANGE {last} SECONDS]")
    wanted = [pairs(story, sizes, second, last) for second in range(END + 1)]
    assert replayed(story.told(query)) == wanted


@settings(deadline=None, max_examples=12)
@given(STORIES, SIZES)
def test_results_of_internal_windows_are_those_of_external_ones_and_stay(
    story: Story, sizes: tuple[int, int]
) -> None:
    windows = [Windowed(f"[RANGE {size} SECONDS INTERNAL]", "") for size in sizes]
    story = replace(story, windows=(windows[0], windows[1]))
    wanted = [pairs(story, sizes, second, END + 1) for second in range(END + 1)]
    assert replayed(story.told(JOIN.replace("{0}", "S.v, T.v AS w"))) == wanted


@settings(deadline=None, max_examples=12)
@given(tuples(), st.integers(2, 6), st.integers(1, 4))
def test_chunks_add_up_although_they_are_equal(arrived: list[Row], length: int, number: int) -> None:
    """A chunk of no tuples gives a result if the one before had any: then the sum changes, to NULL."""
    story = Story(arrived, [], (of_time(length, length), of_time(1, None)))  # type: ignore[arg-type]
    chunks = Counter(-(-int(str(t)) // length) * length for _, _, t in arrived)
    sums: list[tuple[int, int | None]] = []
    for end in range(0, END + 1, length):
        if chunks[end] or chunks[end - length]:
            held = [v for _, v, t in arrived if v is not None and end - length < t <= end]  # type: ignore[operator]
            sums.append((end, sum(held) if held else None))  # type: ignore[arg-type]
    wanted: Answers = []
    for second in range(END + 1):
        newest = [each for end, each in sums if end <= second][-number:]
        known = [each for each in newest if each is not None]
        wanted.append(Counter([(sum(known) if known else None,)]))
    short = f"SELECT SUM(Wstream(SUM(v))[ROWS {number}]) FROM {{S}}"
    inner = story.asked("SELECT SUM(v) AS v FROM {S}").replace("]", " INTERNAL]")
    for query in (short, f"SELECT SUM(v) FROM ({inner}) AS q [ROWS {number}]"):
        assert replayed(story.told(query)) == wanted


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, v FROM {S} WHERE NOT EXISTS (SELECT 1 FROM {T} WHERE T.k = S.k)",
        "SELECT k, v FROM {S} WHERE k IN (SELECT v FROM {T})",
        "SELECT Rstream(k, count(*) AS n) FROM {S} GROUP BY k",
        "SELECT k, max(Wstream(sum(v))[PARTITION BY k ROWS 2]) FROM {S} GROUP BY k",
        "SELECT sum(Wstream(sum(v))[ROWS 3]) FROM {S}",
    ],
)
def test_they_go_on_from_a_checkpoint_as_if_nothing_had_happened(query: str, tmp_path: Path) -> None:
    chance = Random(7)
    arrived = [
        [(chance.choice([None, 0, 1]), chance.choice([0, 1, 2]), second) for second in range(0, END, 2)]
        for _ in "ST"
    ]
    story = Story(arrived[0], arrived[1], (of_time(6, 2), of_time(3, None)), (5, 8, 15))
    assert Counter(story.told_by_several(query, tmp_path)) == Counter(story.told(query))
