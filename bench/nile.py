"""Figures 7 to 10 of the nile text: what strategies for telling ends delay, and what they cost.

Delays, shares and throughput come from a virtual clock, so they are the same on every machine; what a join
gets through is measured. A step takes COST for a tuple and a tenth of that for a message.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa

from bench.harness import Bound, Curves, Measurement, Scale, benchmark, measure
from bench.measuring.curves import Claim, ratio
from bench.measuring.join_work import Work, join_step
from bench.measuring.queues import Outcome, play, poisson
from windrow.plan.expiration import Expiration
from windrow.runtime.queued.pace import Pace

ITA, NTA = Expiration.INPUT_TRIGGERED, Expiration.NEGATIVE
MESSAGES, PIGGYBACK = Expiration.TIME_MESSAGE, Expiration.PIGGYBACK
WINDOW = 30
"""Seconds."""
APART = 45_000_000
"""Microseconds between the first of favourites that come together, and the first of the next ones."""
RATE = 10
ITEMS = 1200

FAVOURITES = """
    CREATE STREAM Sales (item INT, ts TIMESTAMP) ORDER BY ts;
    CREATE STREAM Favourites (item INT, ts TIMESTAMP) ORDER BY ts;
"""
COUNT = f"""
    SELECT count(*) AS n FROM Sales [RANGE {WINDOW} SECONDS] AS s
    JOIN Favourites [RANGE 1 DAY] AS f ON s.item = f.item
"""
STORES = "".join(
    f"CREATE STREAM S{number} (store INT, price INT, ts TIMESTAMP) ORDER BY ts;" for number in (1, 2)
)
MAX = f"""
    SELECT max(b.price) AS dearest FROM S1 [RANGE {WINDOW} SECONDS] AS a
    JOIN S2 [RANGE {WINDOW} SECONDS] AS b ON a.store = b.store
"""


@benchmark("nile")
def nile(scale: Scale) -> Iterator[Measurement | Curves]:
    """Input-triggered, negative tuples, time-messages, piggybacking."""
    yield from _selectivity(scale)
    yield _multiplicity(scale)
    yield _capacity(scale)
    yield from _load(scale)
    yield _throughput(scale)


def _selectivity(scale: Scale) -> Iterator[Curves]:
    """Figure 7."""
    at = (0.1, 0.3, 0.6, 1.0)[:: 3 if scale.quick else 1]
    seconds = scale.size(full=90, quick=8)
    runs = {
        f"{how.value}, {spread}": [_counted(how, share, spread, seconds) for share in at]
        for spread in ("gathered", "scattered")
        for how in (ITA, NTA)
    }
    for title, figure in (("mean", "mean"), ("longest", "most")):
        lines = {name: tuple(getattr(each, figure) for each in told) for name, told in runs.items()}
        triggered, negative = lines["input_triggered, gathered"], lines["negative, gathered"]
        scattered = lines["input_triggered, scattered"]
        yield Curves(
            f"figure 7: {title} delay of a count above a join",
            "share of tuples that pass the join",
            at,
            "seconds",
            lines,
            (
                Claim(
                    "input-triggered answers are late where few tuples pass",
                    triggered[0] > 10 * negative[0],
                    f"{ratio(triggered, negative, 0):,.0f} times as late as with negative tuples",
                ),
                Claim(
                    "… later where those that pass come together than where they are scattered",
                    triggered[0] > scattered[0],
                    f"{ratio(triggered, scattered, 0):,.1f} times",
                ),
                Claim(
                    "negative tuples keep delays short whatever passes",
                    max(negative) < 0.1,
                    f"at most {max(negative):.4f} s",
                ),
            ),
            "y",
            f"{RATE} tuples/s, window of {WINDOW} s, {seconds} s, {_pace().tuple_cost} µs a step and tuple",
        )


def _counted(how: Expiration, share: float, spread: str, seconds: int) -> Outcome:
    """Favourites pass; they are scattered, or come together: then no window has all that many."""
    random = np.random.default_rng(7)
    ts = poisson(random, RATE, seconds)
    passes = random.random(len(ts)) < share
    if spread == "gathered":
        passes = ts % APART < share * APART
    favourites = ITEMS // 10
    other = random.integers(favourites, ITEMS, len(ts))
    item = np.where(passes, random.integers(0, favourites, len(ts)), other)
    table = pa.table({"item": np.arange(favourites, dtype=np.int32), "ts": np.zeros(favourites, np.int64)})
    sales = pa.table({"item": item.astype(np.int32), "ts": ts})
    return play(COUNT, FAVOURITES, {"Sales": sales, "Favourites": table}, how, _pace())


def _multiplicity(scale: Scale) -> Curves:
    """Figure 8a: the same number of results, from fewer and fewer tuples with more and more partners."""
    at = (1, 3, 5)[:: 2 if scale.quick else 1]
    seconds = scale.size(full=60, quick=4)
    lines: dict[str, list[float]] = {how.value: [] for how in (NTA, MESSAGES, PIGGYBACK)}
    for partners in at:
        stores = max(1, RATE * WINDOW // partners)
        for how in (NTA, MESSAGES, PIGGYBACK):
            join = _dearest(how, RATE, seconds, (stores, stores), _pace()).step("Join")
            lines[how.value].append((join.negative + join.messages) / max(1, join.positive))
    told = {name: tuple(line) for name, line in lines.items()}
    return Curves(
        "figure 8a: what tells of ends behind a join",
        "partners of a tuple",
        at,
        "negative tuples and messages for each result",
        told,
        (
            Claim(
                "messages are fewer than negative tuples, the more partners the fewer",
                told["time_message"][-1] < told["time_message"][0] < told["negative"][0],
                f"{told['time_message'][-1]:.2f} a result instead of {told['negative'][-1]:.2f}",
            ),
        ),
        remark=f"{RATE} tuples/s on each of two streams, windows of {WINDOW} s, {seconds} s",
    )


def _dearest(
    how: Expiration, rate: int, seconds: int, stores: tuple[int, int], pace: Pace, shift: int = 0
) -> Outcome:
    """Two streams joined by store; the second one's stores begin `shift` later."""
    random = np.random.default_rng(8)
    streams = {}
    for name, count, first in (("S1", stores[0], 0), ("S2", stores[1], shift)):
        ts = poisson(random, rate, seconds)
        store = random.integers(first, first + count, len(ts), np.int32)
        price = random.integers(0, 1_000_000, len(ts), np.int32)
        streams[name] = pa.table({"store": store, "price": price, "ts": ts})
    return play(MAX, STORES, streams, how, pace)


def _capacity(scale: Scale) -> Measurement:
    """Figure 8b, in processor time: the join step alone, with windows full."""
    rows = scale.size(full=400_000, quick=20_000)
    window = rows // 4

    def run(work: Work) -> float:
        return work.seconds()

    return measure(
        f"figure 8b: what a join gets through, two windows of {window:,} tuples, one partner a tuple",
        {
            how.value: partial(run, join_step(how, rows, window, keys=window))
            for how in (MESSAGES, ITA, NTA)
        },
        work=rows,
        rounds=min(scale.rounds, 5),
        bounds=[Bound(MESSAGES.value, NTA.value), Bound(ITA.value, NTA.value)],
        remark="tuples that arrive; with negative tuples each comes twice. nile: a factor of two",
    )


def _load(scale: Scale) -> Iterator[Curves]:
    """Figure 9: more results from the same input, until a processor is not enough for their ends, too."""
    at = (0.001, 0.003, 0.008, 0.016)[:: 3 if scale.quick else 1]
    seconds = scale.size(full=60, quick=4)
    pace = Pace(tuple_cost=4000, slice=200_000)
    runs = {
        how.value: [_dearest(how, RATE, seconds, (round(1 / share),) * 2, pace) for share in at]
        for how in (NTA, MESSAGES, PIGGYBACK)
    }
    delays = {name: tuple(each.mean for each in told) for name, told in runs.items()}
    remark = f"{RATE} tuples/s on each stream, {pace.tuple_cost} µs a tuple and step, {seconds} s"
    yield Curves(
        "figure 9a: mean delay of a maximum above a join",
        "share of pairs that join",
        at,
        "seconds",
        delays,
        (
            Claim(
                "where results are many, piggybacking is in time when negative tuples are not",
                delays["piggyback"][-1] < delays["negative"][-1],
                f"{ratio(delays['negative'], delays['piggyback']):.1f} times as late with negative tuples",
            ),
            Claim(
                "where they are few, it makes no difference",
                0.5 < ratio(delays["negative"], delays["piggyback"], 0) < 2,
                f"{ratio(delays['negative'], delays['piggyback'], 0):.2f} times",
            ),
        ),
        "y",
        remark,
    )
    shares = {
        name: tuple(
            (join.negative + join.messages) / max(1, join.positive)
            for join in (each.step("Join") for each in told)
        )
        for name, told in runs.items()
    }
    yield Curves(
        "figure 9b: what a maximum has to read of ends",
        "share of pairs that join",
        at,
        "negative tuples and messages for each result",
        shares,
        (
            Claim(
                "the more results come, the fewer ends are told by themselves",
                shares["piggyback"][-1] < shares["piggyback"][0],
                f"from {shares['piggyback'][0]:.2f} to {shares['piggyback'][-1]:.2f} a result",
            ),
        ),
        "",
        remark,
    )


def _throughput(scale: Scale) -> Curves:
    """Figure 10."""
    at = (20, 60, 120)[:: 2 if scale.quick else 1]
    seconds = scale.size(full=45, quick=3)
    pace = Pace(tuple_cost=1200, slice=60_000)
    lines: dict[str, tuple[float, ...]] = {}
    for how in (ITA, NTA, PIGGYBACK):
        told = [_dearest(how, rate // 2, seconds, (400, 400), pace) for rate in at]
        lines[how.value] = tuple(each.step("Join").positive / each.seconds for each in told)
    return Curves(
        "figure 10: results a second",
        "tuples a second",
        at,
        "results a second, until all is done",
        lines,
        (
            Claim(
                "all keep up with few tuples",
                _close(lines, 0),
                f"{min(line[0] for line in lines.values()):,.0f} results/s at least",
            ),
            Claim(
                "negative tuples are the first to be too much",
                lines["negative"][-1] < min(lines["piggyback"][-1], lines["input_triggered"][-1]),
                f"{ratio(lines['piggyback'], lines['negative']):.2f} times as many with piggybacking",
            ),
        ),
        remark=f"{pace.tuple_cost} µs a tuple and step, windows of {WINDOW} s, {seconds} s",
    )


def _close(lines: dict[str, tuple[float, ...]], place: int) -> bool:
    values = [line[place] for line in lines.values()]
    return max(values) < 1.1 * min(values)


def _pace() -> Pace:
    return Pace(tuple_cost=100, slice=10_000)
