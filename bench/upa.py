"""The experiments of the thesis's chapter 3: update patterns, negative tuples, and the direct approach.

Connections over three links, one a unit of time on each. The demo's `finger` stands for the thesis's
telnet: joined with itself it gives ten times as many results as ftp. A call brings the tuples of 10,000
units; what is measured is the processor time of the steps that keep state, when all windows are full.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from bench.harness import Curves, Measurement, Scale, benchmark
from bench.measuring.curves import Claim, ratio
from bench.measuring.plans import CALL, Spent, as_written, spent
from windrow.plan.expiration import Expiration
from windrow.sources.demo.packets import Packets
from windrow.sources.generator_options import GeneratorOptions

UNIT = 1_000
"""Microseconds."""
WINDOWS = (2_000, 5_000, 20_000, 50_000, 200_000)
UPA, NEGATIVE, DIRECT = "upa", "negative", "direct"
LINKS = "".join(
    f"CREATE STREAM Link{link} (ts TIMESTAMP, protocol VARCHAR, src VARCHAR, dst VARCHAR) ORDER BY ts;"
    for link in (1, 2, 3)
)
SAME_SOURCE = """
    SELECT a.src, a.dst, b.dst AS other FROM Link1 {w} AS a JOIN Link2 {w} AS b ON a.src = b.src
    WHERE a.protocol = '{protocol}' AND b.protocol = '{protocol}'
"""
LACKING = """
    SELECT src, dst FROM Link1 {w} AS a
    WHERE NOT EXISTS (SELECT 1 FROM Link2 {w} AS b WHERE b.src = a.src)
"""
JOIN_UP = f"""
    SELECT a.src, a.dst, c.dst AS other FROM ({LACKING}) AS a JOIN Link3 {{w}} AS c ON a.src = c.src
    WHERE c.protocol = 'ftp'
"""
NEGATION_UP = """
    SELECT j.src, j.dst, j.other FROM (
        SELECT a.src, a.dst, c.dst AS other FROM Link1 {w} AS a JOIN Link3 {w} AS c ON a.src = c.src
        WHERE c.protocol = 'ftp'
    ) AS j WHERE NOT EXISTS (SELECT 1 FROM Link2 {w} AS b WHERE b.src = j.src)
"""

PLAIN = "".join(
    f"CREATE STREAM {name} (ts TIMESTAMP, few INTEGER, many INTEGER) ORDER BY ts;"
    for name in ("One", "Other")
)
FLAT = {
    "select": "SELECT many FROM One {w} WHERE few < 500",
    "join": "SELECT a.few AS one, b.few AS other FROM One {w} AS a JOIN Other {w} AS b ON a.many = b.many",
    "distinct of few": "SELECT DISTINCT few FROM One {w}",
    "distinct of many": "SELECT DISTINCT many FROM One {w}",
    "aggregate": "SELECT few, SUM(many) AS total FROM One {w} GROUP BY few",
    "negation": "SELECT few FROM One {w} AS a WHERE NOT EXISTS"
    " (SELECT 1 FROM Other {w} AS b WHERE b.few = a.few)",
}

Line = tuple[float, ...]


@benchmark("upa")
def upa(scale: Scale) -> Iterator[Measurement | Curves]:
    """Queries 1 to 4."""
    experiment = _Experiment(scale)
    yield from experiment.query_1()
    yield from experiment.query_2()
    yield experiment.query_3()
    yield experiment.query_4()
    yield _flatness(scale)


class _Experiment:
    def __init__(self, scale: Scale) -> None:
        self._windows = WINDOWS[:2] if scale.quick else WINDOWS
        self._links = {
            f"Link{link}": _packets(link, 2 * max(self._windows) + 8 * CALL) for link in (1, 2, 3)
        }

    def query_1(self) -> Iterator[Curves]:
        ftp = self._times(SAME_SOURCE.replace("{protocol}", "ftp"))
        yield self._curves(
            "query 1, ftp: a join with few results",
            ftp,
            Claim(
                "upa is about twice as fast as both others at large windows",
                _best(ftp) >= 1.7,
                f"{ratio(ftp[NEGATIVE], ftp[UPA]):.1f} times as fast as negative, "
                f"{ratio(ftp[DIRECT], ftp[UPA]):.1f} times as direct",
                _NOBODY_KEEPS,
            ),
            Claim(
                "direct is faster than negative tuples",
                ftp[DIRECT][-1] < ftp[NEGATIVE][-1],
                f"{ratio(ftp[NEGATIVE], ftp[DIRECT], 0):.1f} times at the smallest window, "
                f"{ratio(ftp[NEGATIVE], ftp[DIRECT]):.1f} times at the largest",
            ),
        )
        many = self._times(SAME_SOURCE.replace("{protocol}", "finger"))
        yield self._curves(
            "query 1, telnet: a join with ten times as many results",
            many,
            Claim(
                "upa is up to ten times as fast as negative tuples",
                _most(many, NEGATIVE) >= 5,
                f"up to {_most(many, NEGATIVE):.1f} times, {ratio(many[NEGATIVE], many[UPA]):.1f} times at "
                "the largest window",
                _NOBODY_KEEPS,
            ),
            Claim(
                "direct is by far the slowest",
                many[DIRECT][-1] > 2 * max(many[UPA][-1], many[NEGATIVE][-1]),
                f"{ratio(many[DIRECT], many[UPA]):.1f} times the time of upa, "
                f"{ratio(many[DIRECT], many[NEGATIVE]):.1f} times that of negative",
                "a scan is one pass of a kernel over an array, for all that ends within 10,000 units",
            ),
        )

    def query_2(self) -> Iterator[Curves]:
        for title, columns, faster, smaller in (
            ("sources", "src", 10.0, 100.0),
            ("pairs", "src, dst", 2.0, 2.0),
        ):
            told = self._spent(f"SELECT DISTINCT {columns} FROM Link1 {{w}}")
            times, space = _milliseconds(told), _kilobytes(told)
            yield self._curves(
                f"query 2, {title}: one of all equal tuples",
                times,
                Claim(
                    f"upa is {faster:g} times as fast as negative tuples",
                    ratio(times[NEGATIVE], times[UPA]) >= 0.7 * faster,
                    f"{ratio(times[NEGATIVE], times[UPA]):.1f} times at the largest window; as direct "
                    f"{ratio(times[DIRECT], times[UPA]):.1f} times",
                    "hashing the columns of what arrives takes most of the time, under all three",
                ),
            )
            yield self._curves(
                f"query 2, {title}: space",
                space,
                Claim(
                    f"upa needs up to {smaller:g} times less space",
                    ratio(space[NEGATIVE], space[UPA]) >= 0.5 * smaller,
                    f"{ratio(space[NEGATIVE], space[UPA]):.0f} times less at the largest window, "
                    f"{ratio(space[DIRECT], space[UPA]):.1f} times less than direct",
                    "its state follows the answer, that of the others the window",
                ),
                unit="kilobytes of state",
            )

    def query_3(self) -> Curves:
        times = self._times(LACKING)
        return self._curves(
            "query 3: negation",
            times,
            Claim(
                "upa is a little faster at small windows and slower at large ones",
                times[UPA][0] < times[NEGATIVE][0] and times[UPA][-1] > times[NEGATIVE][-1],
                f"upa takes {ratio(times[UPA], times[NEGATIVE], 0):.2f} of the time of negative tuples at "
                f"the smallest window, {ratio(times[UPA], times[NEGATIVE]):.2f} at the largest",
                "no crossing: a premature end finds its tuple by a hash, not by a scan of the result, so "
                "large results cost upa nothing more",
            ),
        )

    def query_4(self) -> Curves:
        """Below the negation the join has 750,000 live results at a window of 50,000; it would have 16
        times as many at 200,000."""
        windows = tuple(window for window in self._windows if window <= 50_000)
        lines = {
            f"{how.value}, {title}": tuple(self._at(sql, how, each).milliseconds for each in windows)
            for how in (Expiration.NEGATIVE, Expiration.UPA)
            for title, sql in (("join up", JOIN_UP), ("negation up", NEGATION_UP))
        }
        best = min(lines, key=lambda name: lines[name][-1])
        return self._curves(
            "query 4: negation above a join, or below",
            lines,
            Claim(
                "with negative tuples the join is better above",
                lines["negative, join up"][-1] < lines["negative, negation up"][-1],
                f"{ratio(lines['negative, join up'], lines['negative, negation up']):.2f} of the time",
                "it depends on which of the two lets fewer tuples through: here 1 in 80 is ftp",
            ),
            Claim(
                "at large windows upa with the negation above is the best of all",
                best == "upa, negation up",
                f"the best is {best}",
            ),
        )

    def _curves(self, title: str, lines: dict[str, Line], *claims: Claim, unit: str = "") -> Curves:
        return Curves(
            title,
            "window, in units of time",
            self._windows[: len(next(iter(lines.values())))],
            unit or "ms of processor time for 1,000 units",
            lines,
            claims,
            "xy",
        )

    def _times(self, sql: str) -> dict[str, Line]:
        return _milliseconds(self._spent(sql))

    def _spent(self, sql: str) -> dict[str, list[Spent]]:
        return {how: [self._at(sql, Expiration(how), each) for each in self._windows] for how in _ALL}

    def _at(self, sql: str, how: Expiration, window: int) -> Spent:
        """Once the windows are full, half a window more, and 70,000 units at least."""
        plan = as_written(sql.replace("{w}", f"[RANGE {window} MILLISECONDS]"), LINKS, how)
        full = -(-window // CALL) * CALL
        more = max(7 * CALL, window // 2 // CALL * CALL)
        return spent(plan, self._links, UNIT, full, full + more)


def _flatness(scale: Scale) -> Curves:
    """What a unit of time takes under upa, whatever the windows hold: keys are as many as their tuples, so
    that a tuple of a join has as many partners in all of them; or a thousand."""
    windows = (1_000, 10_000) if scale.quick else (1_000, 10_000, 100_000, 1_000_000)
    lines = {name: tuple(_flat(sql, each) for each in windows) for name, sql in FLAT.items()}
    worst = {name: line[-1] / line[0] for name, line in lines.items()}
    return Curves(
        "windows of any size",
        "window, in units of time",
        windows,
        "ms of processor time for 1,000 units",
        lines,
        tuple(
            Claim(
                f"{name}: at most 1.3 times the time at the largest window",
                ratio_ <= 1.3,
                f"{ratio_:.2f} times",
                "what the largest window holds by key does not fit into the processor's cache",
            )
            for name, ratio_ in worst.items()
        ),
        "xy",
    )


def _flat(sql: str, window: int) -> float:
    chance = np.random.default_rng(window)
    units = 2 * window + 10 * CALL
    streams = {
        name: pa.table(
            {
                "few": chance.integers(0, 1_000, units, np.int32),
                "many": chance.integers(0, window, units, np.int32),
            }
        )
        for name in ("One", "Other")
    }
    plan = as_written(sql.replace("{w}", f"[RANGE {window} MILLISECONDS]"), PLAIN, Expiration.UPA)
    full = -(-window // CALL) * CALL
    return spent(plan, streams, UNIT, full, full + 8 * CALL).milliseconds


_ALL = (UPA, NEGATIVE, DIRECT)
_NOBODY_KEEPS = (
    "the answer leaves as changes, so nobody has to find in it what a negative tuple cancels, while upa "
    "and direct keep each result until it ends; and in a kernel a second probe is cheap"
)


def _milliseconds(told: dict[str, list[Spent]]) -> dict[str, Line]:
    return {how: tuple(each.milliseconds for each in line) for how, line in told.items()}


def _kilobytes(told: dict[str, list[Spent]]) -> dict[str, Line]:
    return {how: tuple(each.bytes / 1_000 for each in line) for how, line in told.items()}


def _most(lines: dict[str, Line], other: str) -> float:
    """How many times as fast as another upa is, where that is most."""
    return max(slow / fast for slow, fast in zip(lines[other], lines[UPA], strict=True))


def _best(lines: dict[str, Line]) -> float:
    """How many times as fast upa is as the faster of the others, at the largest window."""
    return min(lines[NEGATIVE][-1], lines[DIRECT][-1]) / lines[UPA][-1]


def _packets(link: int, rows: int) -> pa.Table:
    generator = Packets(GeneratorOptions(), link)
    blocks: Sequence[pa.Table] = [
        pa.table({name: block.columns[name]() for name in ("protocol", "src", "dst")})
        for block in map(generator.block, range(rows // generator.rows + 1))
    ]
    return pa.concat_tables(blocks)
