"""Random streams and random changes of relations against DuckDB over all that happened.

What a query has ever said, summed up to an instant, has to be its meaning at that instant, at each one
that there is up to its clock: see `relation_queries`.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import windrow
from tests.conftest import NOON, HandMovedWall
from tests.oracle.reference import Row, StreamReference
from tests.oracle.relation_queries import GROUPED, JOINED, LOOKED_UP, OF_STREAMS, OF_TABLES, Meant
from windrow.delta import BEGINNING, NEVER

SECOND = 1_000_000
SETUP = (
    "CREATE STREAM S (k INT, v INT, t TIMESTAMP) ORDER BY t{slack} RETAIN 1000 DAYS;"
    "CREATE TABLE T (k INT, name VARCHAR); CREATE NRR N (k INT, name VARCHAR)"
)
STATEMENTS = (
    "INSERT INTO {} VALUES ({k}, '{name}')",
    "INSERT INTO {} VALUES ({k}, '{name}'), ({k}, NULL), (NULL, '{name}')",
    "UPDATE {} SET name = name || '{name}' WHERE k = {k} AND length(name) < 3",
    "UPDATE {} SET k = k % 3 + 1 WHERE name = '{name}'",
    "DELETE FROM {} WHERE k = {k}",
    "DELETE FROM {} WHERE name = '{name}'",
)


NOW = "getvariable('now')"
VIEWS = {
    "s": f"SELECT k, v, t FROM all_s WHERE t <= {NOW}",
    "live": f"SELECT k, v, t FROM s WHERE t > {NOW} - 5000000",
    "slid": f"SELECT k, v, t FROM all_s WHERE {NOW} // 2000000 * 2000000 - t BETWEEN 0 AND 5999999",
    "newest": f"SELECT k, v, t FROM all_s WHERE t <= {NOW} ORDER BY place DESC LIMIT 2",
    "t": f'SELECT k, name FROM all_T WHERE begin <= {NOW} AND {NOW} < "end"',
    "n": f'SELECT k, name FROM all_N WHERE begin <= {NOW} AND {NOW} < "end"',
    "past": "FROM all_N",
}


@dataclass
class Version:
    """The rows of a relation from an instant on, in the stream's time and on the wall."""

    ts: int
    wall: int
    rows: list[Row]


@dataclass
class Asked:
    """A running query, and what it ever said: the instant, the sign and the row."""

    meant: Meant
    of_tables: bool
    said: list[tuple[int, int, Row]] = field(default_factory=list)


class World:
    """A database, and beside it a plain account of what happens to it."""

    def __init__(self, chance: Random, checkpoint: str | None = None, **options: object) -> None:
        self.chance = chance
        self.wall = HandMovedWall()
        self.checkpoint = checkpoint
        self.slack = chance.choice([0, 0, 3])
        self.options = {"batch_rows": chance.choice([1, 3, 1_000_000]), "runner": "inline", **options}
        self.db = self.opened()
        self.db.execute(SETUP.format(slack=f" SLACK {self.slack} SECONDS" if self.slack else ""))
        self.stream = StreamReference(2, self.slack * SECOND)
        self.newest = self.stamp = BEGINNING
        self.model = duckdb.connect(config={"threads": 1})
        self.versions: dict[str, list[Version]] = {"T": [], "N": []}
        for name in self.versions:
            self.model.execute(f"CREATE TABLE {name} (k INT, name VARCHAR)")
        self.asked: dict[str, Asked] = {}

    def opened(self) -> windrow.Database:
        return windrow.connect(
            wall_clock=self.wall,
            idle_timeout="1000 days",
            checkpoint=self.checkpoint,
            **self.options,  # type: ignore[arg-type]
        )

    def live(self, steps: int) -> None:
        try:
            self._live(steps)
        finally:
            self.db.close()

    def _live(self, steps: int) -> None:
        for _ in range(self.chance.randint(1, 3)):
            self.ask()
        for _ in range(steps):
            self.wall.move(self.chance.choice([0, 1, 1000]))
            self.chance.choice([self.push, self.push, self.change, self.change, self.run, self.rare])()
        self.run()
        self.advance(20)
        self.run()
        for asked in self.asked.values():
            self.check(asked)

    def rare(self) -> None:
        self.chance.choice([self.ask, self.restart, lambda: self.advance(self.chance.randint(0, 9))])()

    def push(self) -> None:
        moment = self.newest if self.newest > NOON else NOON
        rows: list[Row] = [
            (
                self.chance.choice([None, 1, 2, 3]),
                self.chance.randint(0, 4),
                moment + self.chance.choice([-2, 0, 0, 1, 2, 7]) * SECOND,
            )
            for _ in range(self.chance.randint(1, 3))
        ]
        self.db.push("S", rows)
        self.stream.arrive(rows, self.wall.now)
        self.newest = max([self.newest, *(each.ts for each in self.stream.accepted)])

    def advance(self, seconds: int) -> None:
        ts = max(self.newest, NOON) + seconds * SECOND
        self.db.advance("S", ts)
        self.stream.advance(ts)

    def change(self) -> None:
        name = self.chance.choice(list(self.versions))
        told = self.chance.choice(STATEMENTS)
        sql = told.format(name, k=self.chance.randint(1, 3), name=self.chance.choice("ab"))
        self.db.execute(sql)
        before = Counter(self.model.execute(f"FROM {name}").fetchall())
        self.model.execute(sql)
        rows = self.model.execute(f"FROM {name}").fetchall()
        if Counter(rows) != before:
            self.stamp = max(self.stamp, self.newest, self.stream.clock)
            self.versions[name].append(Version(self.stamp, self.wall.now, rows))

    def ask(self, meant: Meant | None = None) -> None:
        meant = meant or self.chance.choice(OF_TABLES if self.chance.random() < 0.3 else OF_STREAMS)
        # After a restart, who asks the same again gets the query that goes on.
        self.asked.setdefault(self.db.query(meant.query).name, Asked(meant, meant in OF_TABLES))

    def run(self) -> None:
        self.db.run_until_idle()
        for name, asked in self.asked.items():
            for change in self.db.queries[name].changes().to_pylist():
                sign = 1 if change.pop("op") in ("+I", "+U") else -1
                ts = change.pop("ts")
                asked.said.append((_microseconds(ts), sign, tuple(change.values())))
            if self.checkpoint is None:
                answer = Counter(tuple(row.values()) for row in self.db.queries[name].answer().to_pylist())
                assert answer == _summed(asked, NEVER)

    def restart(self) -> None:
        if self.checkpoint is not None:
            self.run()
            if self.chance.random() < 0.5:
                self.change()  # which is logged, and has not been told yet
            self.db.close()
            self.db = self.opened()

    def check(self, asked: Asked) -> None:
        """At each instant, what was said is what is meant."""
        with duckdb.connect(config={"threads": 1}) as engine:
            self.tell(engine, "wall" if asked.of_tables else "ts")
            for instant in sorted(self.instants(asked)):
                engine.execute(f"SET VARIABLE now = {instant}")
                wanted = Counter(engine.execute(asked.meant.meaning).fetchall())
                got = _summed(asked, instant)
                assert got == wanted, (
                    f"{asked.meant.query} at {instant}:"
                    f" more {dict(got - wanted)}, less {dict(wanted - got)}"
                )

    def instants(self, asked: Asked) -> Iterator[int]:
        if asked.of_tables:
            read = [each for name, each in self.versions.items() if f" {name} " in f"{asked.meant.query} "]
            first = min((versions[0].wall for versions in read if versions), default=NEVER)
            yield from {each.wall for versions in read for each in versions if each.wall >= first}
            return
        moments = {each.ts for each in self.stream.accepted}
        changes = {version.ts for each in self.versions.values() for version in each}
        slides = {ts // (2 * SECOND) * (2 * SECOND) + 2 * SECOND for ts in moments}
        ends = {ts + 5 * SECOND for ts in moments} | {ts + 6 * SECOND for ts in slides}
        yield from (each for each in moments | changes | slides | ends if each <= self.stream.clock)

    def tell(self, engine: duckdb.DuckDBPyConnection, time: str) -> None:
        """The tables that meanings are about; relations change by the stream's time, or by the wall's."""
        tuples = [(*each.row, place) for place, each in enumerate(self.stream.in_time_order())]
        _fill(
            engine,
            "all_s",
            {"k": pa.int32(), "v": pa.int32(), "t": pa.int64(), "place": pa.int64()},
            tuples,
        )
        for name, versions in self.versions.items():
            ends = [*(getattr(version, time) for version in versions[1:]), NEVER]
            told = zip(versions, ends, strict=False)
            rows = [(*row, getattr(each, time), end) for each, end in told for row in each.rows]
            columns = {"k": pa.int32(), "name": pa.string(), "begin": pa.int64(), "end": pa.int64()}
            _fill(engine, f"all_{name}", columns, rows)
        for name, meaning in VIEWS.items():
            engine.execute(f"CREATE VIEW {name} AS {meaning}")


def _summed(asked: Asked, instant: int) -> Counter[Row]:
    sums: Counter[Row] = Counter()
    for ts, sign, row in asked.said:
        if ts <= instant:
            sums[row] += sign
    assert not -sums, f"{asked.meant.query}: more was taken back than was given"
    return +sums


def _microseconds(ts: datetime | None) -> int:
    return BEGINNING if ts is None else round(ts.replace(tzinfo=UTC).timestamp() * SECOND)


def _fill(
    engine: duckdb.DuckDBPyConnection, table: str, columns: dict[str, pa.DataType], rows: Sequence[Row]
) -> None:
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    arrays = [pa.array(each, type_) for each, type_ in zip(values, columns.values(), strict=True)]
    engine.register("filled", pa.table(arrays, names=list(columns)))
    engine.execute(f"CREATE TABLE {table} AS FROM filled")


@given(st.randoms(use_true_random=False))
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_at_each_instant_queries_have_said_what_they_mean(chance: Random) -> None:
    in_batches = "batch", chance.choice(["upa", "upa", "negative", "direct"])
    from_queues = "queued", chance.choice(["upa", "input_triggered", "time_message", "piggyback"])
    execution, expiration = chance.choice([in_batches, in_batches, from_queues])
    World(chance, execution=execution, expiration=expiration).live(20)


@given(st.randoms(use_true_random=False))
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
def test_queries_go_on_after_a_restart(chance: Random) -> None:
    with tempfile.TemporaryDirectory() as checkpoint:
        World(chance, checkpoint).live(20)


@pytest.mark.spark
@pytest.mark.timeout(300)
def test_queries_are_right_on_the_workers_of_spark() -> None:
    """Few batches, as each takes its time there."""
    world = World(Random(9), runner="spark", master="local[2]", driver_rows=0, batch_rows=1_000_000)
    with closing(world.db):
        for meant in (GROUPED, JOINED, LOOKED_UP):
            world.ask(meant)
        for _ in range(2):
            for act in (world.push, world.change, world.push, world.change):
                act()
            world.run()
        for asked in world.asked.values():
            world.check(asked)
        assert all(asked.said for asked in world.asked.values())


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
def test_queries_are_right_in_longer_lives(chance: Random) -> None:
    with tempfile.TemporaryDirectory() as checkpoint:
        World(chance, chance.choice([None, checkpoint])).live(60)
