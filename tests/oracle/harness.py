"""Plays a scenario on a database and holds every answer against DuckDB over the accepted input.

The definition of right: at any clock, a query's answer is that of the same SQL over the tuples live
then. So DuckDB gets tables with the accepted tuples up to the query's clock, in time order, and the
very text of the query.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import duckdb
import pyarrow as pa

import windrow
from tests.conftest import HandMovedWall
from tests.oracle.reference import Accepted, Row, StreamReference
from tests.oracle.scenario import Advance, Asked, Check, Declared, Pass, Push, Scenario, Start, Stop

STEP = 1000
"""The wall clock moves at least so far between two hand-overs."""


class Watched:
    """A running query, and all that it has ever said."""

    def __init__(self, asked: Asked, query: windrow.Query) -> None:
        self.asked = asked
        self.query = query
        self.said: list[Row] = []
        self.instants: list[Any] = []

    def listen(self) -> None:
        for change in self.query.changes().to_pylist():
            assert change.pop("op") == "+I"
            self.instants.append(change.pop("ts"))
            self.said.append(tuple(change.values()))


class Play:
    """A scenario at work on a database."""

    def __init__(self, db: windrow.Database, wall: HandMovedWall, scenario: Scenario) -> None:
        self._db = db
        self._wall = wall
        self._scenario = scenario
        self._watched: list[Watched] = []
        self._references = {
            stream.name: StreamReference(
                2 if stream.kind == "external" else None,
                stream.slack * 1_000_000,
                stamp_is_column=stream.kind == "internal",
            )
            for stream in scenario.streams
            if not stream.parent
        }

    def run(self) -> None:
        for stream in self._scenario.streams:
            self._db.execute(stream.sql)
        for action in self._scenario.actions:
            self._wall.move(STEP)
            self._act(action)
        self._check_counts()
        for watched in self._watched:
            watched.query.stop()
        for stream in reversed(self._scenario.streams):
            self._db.execute(f"DROP STREAM {stream.name}")

    def _act(self, action: object) -> None:
        match action:
            case Push(stream, rows):
                self._db.push(stream, rows)
                self._references[stream].arrive(rows, self._wall.now)
            case Advance(stream, ts):
                ts = self._wall.now if ts is None else ts
                self._db.advance(stream, ts)
                self._references[stream].advance(ts)
            case Start(asked):
                self._watched.append(Watched(asked, self._db.query(asked.sql)))
            case Stop(number) if len(self._watched) > 1:
                self._watched.pop(number % len(self._watched)).query.stop()
            case Pass(microseconds):
                self._wall.move(microseconds)
            case Check(compare):
                self._db.run_until_idle()
                for watched in self._watched if compare else ():
                    self._compare(watched)
            case _:
                assert isinstance(action, Stop)

    def _compare(self, watched: Watched) -> None:
        clock = watched.query.clock
        clock = -(2**63) if clock is None else clock
        assert clock >= self._reached(watched.asked.sql)
        expected = self._expected(watched.asked.sql, clock)
        watched.listen()
        assert watched.instants == sorted(watched.instants)
        if watched.asked.timed:
            assert watched.instants == [row[0] for row in watched.said]
        if watched.asked.ordered:
            assert watched.said == expected
        assert _sorted(watched.said) == _sorted(expected)
        answer = [tuple(row.values()) for row in watched.query.answer().to_pylist()]
        assert _sorted(answer) == _sorted(expected)

    def _reached(self, sql: str) -> int:
        """The least that a query's clock must have come to, going by arrivals alone."""
        clocks = [
            reference.clock if f"{name}.late" not in sql else -(2**63)
            for name, reference in self._references.items()
            if name in self._named(sql)
        ]
        return min(clocks)

    def _named(self, sql: str) -> set[str]:
        """The declared streams that a query reads, through derived ones too."""
        words = {word.removesuffix(".late") for word in sql.split()}
        parents = {each.name: each.parent.name for each in self._scenario.streams if each.parent}
        return {parents.get(word, word) for word in words} & self._references.keys()

    def _expected(self, sql: str, clock: int) -> list[Row]:
        with duckdb.connect(config={"threads": 1}) as engine:
            for stream in self._scenario.streams:
                if stream.parent:
                    engine.execute(f"CREATE VIEW {stream.name} AS {stream.query}")
                    continue
                reference = self._references[stream.name]
                late = sorted(reference.late, key=lambda each: each.number)
                engine.execute(f"CREATE SCHEMA {stream.name}")
                _fill(engine, stream, stream.name, reference.in_time_order(), clock)
                _fill(engine, stream, f"{stream.name}.late", late, clock)
            return list(engine.execute(sql).fetchall())

    def _check_counts(self) -> None:
        told = {each.name: each for each in self._db.metrics().streams}
        for name, reference in self._references.items():
            counts = (told[name].accepted, told[name].late, told[name].rejected)
            assert counts == (len(reference.accepted), len(reference.late), reference.rejected)


def _fill(
    engine: duckdb.DuckDBPyConnection, stream: Declared, table: str, arrived: Iterable[Accepted], clock: int
) -> None:
    rows = [each.row for each in arrived if each.ts <= clock]
    types = [pa.int32(), pa.string(), *([pa.timestamp("us")] if stream.time else [])]
    names = ["a", "s", *([stream.time.strip('"')] if stream.time else [])]
    columns = list(zip(*rows, strict=True)) or [()] * len(types)
    found = pa.table(
        [pa.array(each, type_) for each, type_ in zip(columns, types, strict=True)], names=names
    )
    engine.register("found", found)
    engine.execute(f"CREATE TABLE {table} AS FROM found")


def _sorted(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=repr)
