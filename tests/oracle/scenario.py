"""Random streams, queries and moments, from one source of chance: what happens in a test.

All streams have the columns `a` and `s`, and most a timestamp `t`; so queries over one can be written
over another, and every two can be united.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from tests.conftest import NOON
from tests.oracle.reference import Row

SECOND = 1_000_000
EXPRESSIONS = (
    "a",
    "a + 1",
    "s",
    "upper(s)",
    "coalesce(a, 0) * 2",
    "a IS NULL",
    "CASE WHEN a > 2 THEN s ELSE 'x' END",
    "a / 2",
    "length(s) - a",
    "s || '!'",
)
CONDITIONS = (
    "",
    "a > 2",
    "s = 'b'",
    "a IS NOT NULL AND s <> 'a'",
    "a % 2 = 0 OR s IS NULL",
    "NOT (a < 3)",
    "a BETWEEN 1 AND 3",
    "s IN ('a', 'c')",
    "a > 100",
)


@dataclass(frozen=True)
class Declared:
    """A stream, and how it gets its timestamps; or one derived from another."""

    name: str
    kind: str
    slack: int = 0
    retained: bool = True
    parent: Declared | None = None
    query: str = ""

    @property
    def time(self) -> str | None:
        """Its timestamp column."""
        return {"external": "t", "internal": '"current_time"', "latent": None}[self.kind]

    @property
    def sql(self) -> str:
        if self.parent:
            return f"CREATE STREAM {self.name} AS {self.query}"
        columns = "a INT, s VARCHAR" + (f", {self.time} TIMESTAMP" if self.time else "")
        order = f" ORDER BY {self.time}" if self.time else ""
        slack = f" SLACK {self.slack} SECONDS" if self.slack else ""
        retain = " RETAIN 1000 DAYS" if self.retained else ""
        return f"CREATE STREAM {self.name} ({columns}){order}{slack}{retain}"


@dataclass(frozen=True)
class Asked:
    """A query; `ordered` if its result comes in one order only, `timed` if its first column is `ts`."""

    sql: str
    ordered: bool
    timed: bool


@dataclass(frozen=True)
class Push:
    stream: str
    rows: list[Row]


@dataclass(frozen=True)
class Advance:
    stream: str
    ts: int | None
    """None: to the wall clock."""


@dataclass(frozen=True)
class Start:
    query: Asked


@dataclass(frozen=True)
class Stop:
    number: int
    """Which of those that run."""


@dataclass(frozen=True)
class Pass:
    """Time passes."""

    microseconds: int


@dataclass(frozen=True)
class Check:
    """Run until idle, and mostly compare what came of it."""

    compare: bool


Action = Push | Advance | Start | Stop | Pass | Check


@dataclass(frozen=True)
class Scenario:
    streams: list[Declared]
    actions: list[Action]


def scenario(chance: Random, suffix: str = "", length: int = 25) -> Scenario:
    """Streams whose names end in `suffix`, and what happens."""
    retained = chance.random() < 0.7
    streams = [_stream(chance, f"S{number}{suffix}", retained) for number in range(chance.randint(1, 3))]
    if chance.random() < 0.6:
        streams.append(_derived(chance, chance.choice(streams), f"D{suffix}"))
    actions: list[Action] = [Start(_query(chance, streams)) for _ in range(chance.randint(1, 3))]
    seen: list[tuple[Declared, Row]] = []
    actions += [_action(chance, streams, retained, seen) for _ in range(length)]
    return Scenario(streams, [*actions, Check(True), *_end(streams), Check(True)])


def _end(streams: list[Declared]) -> Iterator[Action]:
    """Everything is in: what was held back has to come out."""
    for stream in streams:
        if not stream.parent:
            yield Pass(SECOND)
            yield Advance(stream.name, None)


def _stream(chance: Random, name: str, retained: bool) -> Declared:
    kind = chance.choice(["external", "external", "internal", "latent"])
    slack = chance.choice([0, 0, 3, 10]) if kind == "external" else 0
    return Declared(name, kind, slack, retained)


def _derived(chance: Random, parent: Declared, name: str) -> Declared:
    columns = ", ".join(["a", "s", *([parent.time] if parent.time else [])])
    query = f"SELECT {columns} FROM {parent.name}{_where(chance)}"
    return replace(parent, name=name, parent=parent, query=query)


def _where(chance: Random) -> str:
    condition = chance.choice(CONDITIONS)
    return f" WHERE {condition}" if condition else ""


def _query(chance: Random, streams: list[Declared]) -> Asked:
    kind = chance.choice(["plain", "plain", "late", "union all", "union", "union"])
    listed = [f"{each} AS x{place}" for place, each in enumerate(chance.sample(EXPRESSIONS, 2))]
    timed = [stream for stream in streams if stream.time]
    declared = [stream for stream in streams if not stream.parent]
    if kind == "plain" or (kind == "union" and not timed):
        return _plain(chance, chance.choice(streams), listed)
    if kind == "late":
        return Asked(f"SELECT {', '.join(listed)} FROM {chance.choice(declared).name}.late", True, False)
    chosen = chance.choices(timed if kind == "union" else streams, k=chance.randint(2, 3))
    with_time = kind == "union" or all(stream.time for stream in chosen)
    if kind == "union":  # of few values, so that there are duplicates
        listed = [chance.choice(["a IS NULL AS x0", "s AS x0"])]
    branches = [_plain(chance, stream, listed, with_time).sql for stream in chosen]
    return Asked(f" {kind.upper()} ".join(branches), False, with_time)


def _plain(chance: Random, stream: Declared, listed: list[str], with_time: bool | None = None) -> Asked:
    timed = bool(stream.time) and (chance.random() < 0.5 if with_time is None else with_time)
    columns = [f"{stream.time} AS moment", *listed] if timed else listed
    return Asked(f"SELECT {', '.join(columns)} FROM {stream.name}{_where(chance)}", True, timed)


def _action(
    chance: Random, streams: list[Declared], retained: bool, seen: list[tuple[Declared, Row]]
) -> Action:
    """The next thing that happens; `seen` are the tuples pushed so far, which may come again."""
    stream = chance.choice([each for each in streams if not each.parent])
    kinds = ["push"] * 6 + ["check"] * 3 + ["advance", "pass", "stop"] + ["start"] * retained
    match chance.choice(kinds):
        case "push":
            again = [row for origin, row in seen[-8:] if origin.kind == stream.kind]
            rows = [
                chance.choice(again) if again and chance.random() < 0.3 else _row(chance, stream)
                for _ in range(chance.randint(0, 5))
            ]
            seen += [(stream, row) for row in rows]
            return Push(stream.name, rows)
        case "advance":
            external = stream.kind == "external"
            return Advance(stream.name, NOON + _second(chance) * SECOND if external else None)
        case "pass":
            return Pass(chance.randint(1, 3 * SECOND))
        case "start":
            return Start(_query(chance, streams))
        case "stop":
            return Stop(chance.randint(0, 9))
        case _:
            return Check(chance.random() < 0.7)


def _second(chance: Random) -> int:
    """Ties are frequent, and the clock climbs slowly."""
    return min(chance.randint(0, 12), chance.randint(0, 12))


def _row(chance: Random, stream: Declared) -> Row:
    payload: Row = (chance.choice([None, 1, 3, 4]), chance.choice([None, "a", "b"]))
    if stream.kind != "external":
        return payload
    ts = None if chance.random() < 0.1 else NOON + _second(chance) * SECOND
    return (*payload, ts)
