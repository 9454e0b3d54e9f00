"""Figures 4 and 5 of the ESL paper: what EXPIRE is worth, and what it costs that an aggregate is in ESL.

An average and approximate frequent items over windows of so many tuples: in ESL with EXPIRE, in a
procedural language with as much (a class in Python, compiled), in ESL that keeps its window in a table of
its own, and in ESL that computes all anew for each tuple. Beside them is a kernel by hand, for one group
alone, without NULL, and with nothing that could be saved. Each tuple that comes pushes the oldest one out
of a window that is full.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bench.harness import Bound, Curves, Measurement, Scale, benchmark, measure
from windrow import library
from windrow.aggregates.user_defined.choose import machine_for
from windrow.aggregates.user_defined.machine import Step, Steps
from windrow.catalog import Aggregate, Catalog
from windrow.language.aggregate_statements import CreateAggregate
from windrow.language.define_aggregate import define_aggregate
from windrow.language.parser import parse

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

WINDOWS = (100, 1_000, 10_000, 100_000, 1_000_000)
ITEMS, BUCKETS = 5_000, 64
QUADRATIC = 10_000
"""Windows that are longer take too long to fill, where a window is kept in a table."""

DELTA = """CREATE WINDOW AGGREGATE average(next DOUBLE) : DOUBLE {
    TABLE state(total DOUBLE, number BIGINT);
    TABLE inwindow(value DOUBLE);
    INITIALIZE: { INSERT INTO state VALUES (next, 1); INSERT INTO RETURN VALUES (next) }
    ITERATE: {
        UPDATE state SET total = total + next, number = number + 1;
        INSERT INTO RETURN SELECT total / number FROM state
    }
    EXPIRE: { UPDATE state SET total = total - oldest(), number = number - 1 }
}"""
PROCEDURAL = """CREATE WINDOW AGGREGATE average(next DOUBLE) : DOUBLE
    LANGUAGE PYTHON AS 'bench.measuring.moving:Telling'"""
OWN_WINDOW = """CREATE AGGREGATE average(next DOUBLE) : DOUBLE {
    TABLE state(total DOUBLE, number BIGINT, seen BIGINT);
    TABLE mine(place BIGINT, value DOUBLE);
    INITIALIZE: {
        INSERT INTO state VALUES (next, 1, 1);
        INSERT INTO mine VALUES (1, next);
        INSERT INTO RETURN VALUES (next)
    }
    ITERATE: {
        UPDATE state SET total = total + next, number = number + 1, seen = seen + 1;
        INSERT INTO mine SELECT seen, next FROM state;
        UPDATE state SET number = number - 1, total = total -
            (SELECT value FROM mine WHERE place = seen - $SIZE) WHERE number > $SIZE;
        DELETE FROM mine WHERE place <= (SELECT seen FROM state) - $SIZE;
        INSERT INTO RETURN SELECT total / number FROM state
    }
}"""
NAIVE = """CREATE WINDOW AGGREGATE average(next DOUBLE) : DOUBLE {
    TABLE inwindow(value DOUBLE);
    INITIALIZE: ITERATE: { INSERT INTO RETURN SELECT avg(value) FROM inwindow }
}"""
NAIVE_FREQUENCY = """CREATE WINDOW AGGREGATE frequency(item BIGINT) : BIGINT {
    TABLE inwindow(past BIGINT);
    INITIALIZE: ITERATE: { INSERT INTO RETURN SELECT count(*) FROM inwindow WHERE past = item }
}"""


@benchmark("esl_delta")
def esl_delta(scale: Scale) -> Iterator[Measurement | Curves]:
    """The average, then frequent items."""
    windows = WINDOWS[:2] if scale.quick else WINDOWS
    work = scale.size(400_000, 20_000)
    yield _against_kernel(scale, work)
    yield _flat(scale, windows, work)
    lines: dict[str, Callable[..., Any]] = {
        "A: ESL with EXPIRE": partial(_in_esl, DELTA, numbers),
        "B: Python, compiled": partial(_in_esl, PROCEDURAL, numbers),
        "by hand": _average_by_hand,
        "C: ESL, a window of its own": _own_window,
        "D: ESL, anew each time": partial(_in_esl, NAIVE, numbers),
    }
    yield _curves("average", lines, windows, work)
    frequencies: dict[str, Callable[..., Any]] = {
        "A: ESL with EXPIRE": partial(_in_esl, library.text("frequent"), items),
        "by hand": _frequency_by_hand,
        "D: ESL, anew each time": partial(_in_esl, NAIVE_FREQUENCY, items),
    }
    yield _curves("frequent items", frequencies, windows, work // 10)


def _against_kernel(scale: Scale, work: int) -> Measurement:
    return measure(
        "average over a window of 10,000",
        {
            "ESL": _in_esl(DELTA, numbers, 10_000)(work),
            "Python": _in_esl(PROCEDURAL, numbers, 10_000)(work),
            "by hand": _average_by_hand(10_000, work),
        },
        work=work,
        rounds=scale.rounds,
        bounds=[Bound("ESL", "Python", at_least=1 / 1.2), Bound("ESL", "by hand")],
        remark="by hand without groups, NULL, and a state that can be saved, which the others have",
    )


def _flat(scale: Scale, windows: tuple[int, ...], work: int) -> Measurement:
    short, long = (f"{size:,} tuples" for size in (windows[0], windows[-1]))
    runs = {
        name: _in_esl(DELTA, numbers, size)(work)
        for name, size in ((short, windows[0]), (long, windows[-1]))
    }
    bound = Bound(long, short, at_least=1 / 1.3)
    return measure("average in ESL, by the window", runs, work=work, rounds=scale.rounds, bounds=[bound])


def _curves(what: str, lines: dict[str, Callable[..., Any]], windows: tuple[int, ...], work: int) -> Curves:
    """Tuples a second of each version, by the window."""
    found = {name: tuple(_rate(make, size, work) for size in windows) for name, make in lines.items()}
    return Curves(
        f"{what} over windows",
        "window",
        windows,
        "thousand tuples a second",
        found,
        logarithmic="xy",
        remark="C is left out where its window would take too long to fill",
    )


def _rate(make: Callable[..., Any], size: int, work: int) -> float:
    """Of as many tuples as go by in about a second."""
    ready = make(size) if make not in (_average_by_hand, _frequency_by_hand) else partial(make, size)
    if ready is None:
        return float("nan")
    count, seconds = 16, 0.0
    while seconds < 0.05 and count < work:
        count *= 4
        run = ready(count)
        run()
        started = time.perf_counter()
        run()
        seconds = time.perf_counter() - started
    return count / seconds / 1_000


def numbers(count: int) -> pa.Table:
    return pa.table({"next": np.random.default_rng(1).random(count)})


def items(count: int) -> pa.Table:
    return pa.table({"item": np.random.default_rng(1).zipf(1.3, count) % ITEMS})


Rounds = Callable[[int], Callable[[], None]]
"""Of so many tuples: what lets that many go by."""


def _in_esl(text: str, values: Callable[[int], pa.Table], size: int) -> Rounds:
    """An aggregate whose window is full."""
    machine = machine_for(_defined(text))
    filling = Steps(*_of_one_group(np.full(size, Step.ARRIVE)), np.zeros(size, np.bool_))
    machine.run(filling, values(size))

    def rounds(count: int) -> Callable[[], None]:
        kinds = np.tile(np.array([Step.EXPIRE, Step.ARRIVE]), count)
        steps, table = Steps(*_of_one_group(kinds)), values(count)
        return lambda: _done(machine.run(steps, table).rows)

    return rounds


def _own_window(size: int) -> Rounds | None:
    if size > QUADRATIC:
        return None
    machine = machine_for(_defined(OWN_WINDOW.replace("$SIZE", str(size))))
    machine.run(Steps(*_of_one_group(np.full(size, Step.ARRIVE)), np.zeros(size, np.bool_)), numbers(size))

    def rounds(count: int) -> Callable[[], None]:
        steps, table = Steps(*_of_one_group(np.full(count, Step.ARRIVE))), numbers(count)
        return lambda: _done(machine.run(steps, table).rows)

    return rounds


def _average_by_hand(size: int, count: int) -> Callable[[], None]:
    ring, state = np.random.default_rng(2).random(size), np.zeros(3)
    state[0], state[1] = ring.sum(), size
    table = numbers(count)

    def run() -> None:
        values = table["next"].to_numpy().copy()
        results = np.empty(len(values))
        _averages(values, ring, state, results)
        _done(pa.table({"average": results}))

    return run


def _frequency_by_hand(size: int, count: int) -> Callable[[], None]:
    ring, place = np.zeros(size, np.int64), np.zeros(1, np.int64)
    counters = np.zeros((3, BUCKETS), np.int64)
    table = items(count)

    def run() -> None:
        values = table["item"].to_numpy().copy()
        results = np.empty(len(values), np.int64)
        _frequencies(values, ring, place, counters, results)
        _done(pa.table({"frequency": results}))

    return run


@numba.njit("void(float64[::1], float64[::1], float64[::1], float64[::1])")
def _averages(values: Floats, ring: Floats, state: Floats, results: Floats) -> None:
    place = int(state[2])
    for at in range(len(values)):
        state[0] -= ring[place]
        state[1] -= 1
        ring[place] = values[at]
        place = place + 1 if place + 1 < len(ring) else 0
        state[0] += values[at]
        state[1] += 1
        results[at] = state[0] / state[1]
    state[2] = place


@numba.njit("void(int64[::1], int64[::1], int64[::1], int64[:, ::1], int64[::1])")
def _frequencies(values: Ints, ring: Ints, place: Ints, counters: Ints, results: Ints) -> None:
    for at in range(len(values)):
        for sign, item in ((-1, ring[place[0]]), (1, values[at])):
            first = (item * 40503) % 8191 % 64
            second = (item * 30011 + 7) % 8191 % 64
            third = (item * 52711 + 5) % 8191 % 64
            counters[0, first] += sign
            counters[1, second] += sign
            counters[2, third] += sign
            if sign > 0:
                results[at] = min(counters[0, first], counters[1, second], counters[2, third])
        ring[place[0]] = values[at]
        place[0] = (place[0] + 1) % len(ring)


def _defined(text: str) -> Aggregate:
    (statement,) = parse(text)
    assert isinstance(statement, CreateAggregate)
    return define_aggregate(statement, Catalog())


def _of_one_group(kinds: npt.NDArray[Any]) -> tuple[Ints, npt.NDArray[np.int8]]:
    return np.zeros(len(kinds), np.int64), kinds.astype(np.int8)


def _done(rows: pa.Table) -> None:
    assert len(rows)
