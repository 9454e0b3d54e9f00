"""Queries over windows, from their text to what they say, beside DuckDB over the tuples that live.

In a query's text {S} and {T} stand for the two streams, which have the columns k, v and t, each with its
window. DuckDB gets the same text with the tuples that the windows hold at an instant in their place. What
a query says is read as changes, so one feeding tells its answer at every instant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
from hypothesis import strategies as st

import windrow

NOON = datetime(2026, 1, 1, 12)
END = 24
"""Seconds after noon up to which time passes."""
COLUMNS = "k INT, v INT, t TIMESTAMP"
Tuple = tuple[int | None, int | None, int]
"""The last is its second after noon."""
Row = tuple[object, ...]
Answers = list[Counter[Row]]
"""At each second from noon on."""


@dataclass(frozen=True)
class Windowed:
    """A window as windrow and as DuckDB write it."""

    text: str
    where: str
    """Over t, and the rank of a tuple from the newest; `now` is the instant."""
    partition: str = ""

    def held(self, table: str) -> str:
        """A query for the tuples that it holds of a table."""
        rank = f"row_number() OVER ({self.partition} ORDER BY t DESC, n DESC) AS rank"
        now = "getvariable('now')::TIMESTAMP"
        live = f"SELECT *, {rank} FROM {table} WHERE t <= {now}"
        return f"SELECT k, v, t FROM ({live}) WHERE {self.where.replace('now', now)}"


def of_time(size: int, slide: int | None) -> Windowed:
    if slide is None:
        return Windowed(f"[RANGE {size} SECONDS]", f"t > now - INTERVAL {size} SECONDS")
    moved = f"time_bucket(INTERVAL {slide} SECONDS, now)"
    return Windowed(
        f"[WINDOW {size} SECONDS SLIDE {slide} SECONDS]",
        f"t > {moved} - INTERVAL {max(size, slide)} SECONDS AND t > {moved} - INTERVAL {size} SECONDS"
        f" AND t <= {moved}",
    )


SLIDES = st.sampled_from([None, None, 2, 3])
OF_TIME = st.builds(of_time, st.integers(1, 12), SLIDES)
OF_TUPLES = st.integers(1, 6).map(lambda size: Windowed(f"[ROWS {size}]", f"rank <= {size}"))
OF_KEYS = st.integers(1, 3).map(
    lambda size: Windowed(f"[PARTITION BY k ROWS {size}]", f"rank <= {size}", "PARTITION BY k")
)
WINDOWS = st.one_of(OF_TIME, OF_TIME, OF_TUPLES, OF_KEYS)

_VALUES = st.sampled_from([None, 0, 1, 1, 2])
_GAPS = st.sampled_from([0, 0, 1, 1, 3, 6])


@st.composite
def tuples(draw: st.DrawFn, size: int = 12) -> list[Tuple]:
    """Ties, NULLs and duplicates, in time order."""
    second, drawn = 0, []
    for k, v, gap in draw(st.lists(st.tuples(_VALUES, _VALUES, _GAPS), max_size=size)):
        second += gap
        drawn.append((k, v, second))
    return [each for each in drawn if each[2] < END]


@dataclass(frozen=True)
class Story:
    """What arrives on both streams, and their windows."""

    s: list[Tuple]
    t: list[Tuple]
    windows: tuple[Windowed, Windowed]
    cuts: tuple[int, ...] = ()
    """Seconds at which a batch ends."""

    def asked(self, query: str) -> str:
        s, t = self.windows
        return query.format(S=f"S {s.text}", T=f"T {t.text}")

    def answers(self, query: str) -> Answers:
        """What plain SQL says at each second."""
        s, t = self.windows
        text = query.format(S="S", T="T")
        with duckdb.connect(config={"threads": 1}) as engine:
            for name, arrived in (("all_s", self.s), ("all_t", self.t)):
                engine.execute(f"CREATE TABLE {name} ({COLUMNS}, n INT)")
                rows = [(k, v, at(second), n) for n, (k, v, second) in enumerate(arrived)]
                if rows:
                    engine.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?)", rows)
            engine.execute(f"CREATE VIEW S AS {s.held('all_s')}; CREATE VIEW T AS {t.held('all_t')}")
            answers = []
            for second in range(END + 1):
                engine.execute(f"SET VARIABLE now = TIMESTAMP '{at(second)}'")
                answers.append(Counter(engine.execute(text).fetchall()))
            return answers

    def told(self, query: str, **settings: object) -> list[tuple[int, str, Row]]:
        """The changes that windrow tells: second, operation, row."""
        with windrow.connect(runner="inline", idle_timeout="1000 days", **settings) as db:  # type: ignore[arg-type]
            asked = self._start(db, query)
            return [each for end in (*self.cuts, END) for each in self._go_on(db, asked, end)]

    def told_by_several(self, query: str, checkpoint: Path) -> list[tuple[int, str, Row]]:
        """Likewise, but at each cut the database is closed, and another goes on from the checkpoint."""
        said = []
        for end in (*self.cuts, END):
            with windrow.connect(runner="inline", idle_timeout="1000 days", checkpoint=checkpoint) as db:
                said += self._go_on(db, self._start(db, query), end)
        return said

    def _start(self, db: windrow.Database, query: str) -> windrow.Query:
        for name in ("S", "T"):
            db.execute(f"CREATE STREAM {name} ({COLUMNS}) ORDER BY t")
        return db.query(self.asked(query))

    def _go_on(self, db: windrow.Database, asked: windrow.Query, end: int) -> list[tuple[int, str, Row]]:
        """What comes from the cut before up to this one, or the end, and what it changes."""
        begin = max((cut for cut in self.cuts if cut < end), default=0)
        for name, arrived in (("S", self.s), ("T", self.t)):
            db.push(name, [(k, v, at(second)) for k, v, second in arrived if begin <= second < end])
            db.advance(name, at(end - 1 if end < END else END))
        db.run_until_idle()
        said = asked.changes().to_pylist()
        return [(_second(each.pop("ts")), each.pop("op"), tuple(each.values())) for each in said]


STORIES = st.builds(
    Story,
    tuples(),
    tuples(),
    st.tuples(WINDOWS, WINDOWS),
    st.lists(st.integers(1, END - 1), max_size=3, unique=True).map(lambda cuts: tuple(sorted(cuts))),
)


def at(second: int) -> datetime:
    return NOON + timedelta(seconds=second)


def replayed(told: Sequence[tuple[int, str, Row]]) -> Answers:
    """The answer at each second, going by the changes."""
    signs = {"+I": 1, "+U": 1, "-D": -1, "-U": -1}
    answer: Counter[Row] = Counter()
    answers, place = [], 0
    for second in range(END + 1):
        while place < len(told) and told[place][0] <= second:
            answer[told[place][2]] += signs[told[place][1]]
            place += 1
        assert not -answer, f"at {second} more was taken back than had been given: {-answer}"
        answers.append(+answer)
    return answers


def _second(ts: datetime | None) -> int:
    """What was there before any tuple was so before noon."""
    return -1 if ts is None else int((ts - NOON).total_seconds())
