"""kill -9 of the driver at moments that nobody chose, while tuples come from a socket and as files.

After a restart with the same checkpoint each accepted tuple is in the Parquet files once, and the changes
of answers over windows add up to what SQL says at every instant. Of files, every row is accepted; of what
is sent, the lines that came into the stream log: what was still in the sockets when the driver died is
lost, and nobody was told that it had been taken.
"""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import duckdb
import pyarrow as pa
import pytest

import windrow
from tests.faults.conftest import Family, Start, eventually
from tests.faults.feeders import Bidder, Filer
from tests.faults.killed_driver import FORMATS, QUERIES, WINDOWS
from tests.faults.scene import Scene
from windrow.catalog import Part, Stream
from windrow.log.file_log import FileLogReader
from windrow.log.stream_log import part_schemas

DRIVER = Path(__file__).with_name("killed_driver.py")
Runner = Literal["spark", "inline"]
EARLY = 0.2
"""The share of drivers that are killed before they give anything out, perhaps."""

KILLED = pytest.mark.parametrize(
    ("runner", "kills", "longest"),
    [
        ("inline", 10, 0.5),
        pytest.param("inline", 60, 1.0, marks=pytest.mark.slow),
        pytest.param("spark", 3, 1.5, marks=pytest.mark.spark),
        pytest.param("spark", 30, 4.0, marks=[pytest.mark.spark, pytest.mark.slow]),
    ],
)
"""On which runner, how often, and at most how many seconds after it gave something out."""


class Fed(Scene):
    """Bids are sent to a port, and auctions come as files."""

    def __init__(self, start: Start, folder: Path, runner: Runner, port: int) -> None:
        self.form = FORMATS[runner]
        self._runner = runner
        self._checkpoint = folder / "checkpoint"

        def launch(driver_rows: int) -> Family:
            arguments = (DRIVER, runner, self._checkpoint, port, folder, driver_rows)
            return start(*map(str, arguments))

        super().__init__(folder, QUERIES, launch)

    def accepted(self, name: str) -> pa.Table:
        """The tuples in the stream's log, in their order."""
        with windrow.connect(self._runner, checkpoint=self._checkpoint) as db:
            stream = db.catalog.find(name)
        assert isinstance(stream, Stream)
        log = FileLogReader(self._checkpoint / "log" / stream.log, part_schemas(stream))
        index = log.index()
        assert index.first == 0
        assert index.entries[-1]["totals"][1:].tolist() == [0, 0], "some came late or were rejected"
        return pa.Table.from_batches(
            [log.read(entry, Part.TUPLES) for entry in index.entries if entry["rows"][0]]
        )


def kill_at_a_moment(scene: Fed, moments: random.Random, longest: float) -> None:
    """What was in place before stays in place, and nothing comes into it twice."""
    before = len(scene.parts())
    driver = scene.driver()
    if moments.random() >= EARLY:
        driver.until(lambda: len(scene.parts()) > before, "something comes out")
    with pytest.raises(subprocess.TimeoutExpired):
        driver.process.wait(moments.uniform(0, longest))
    known = {name: Counter(rows(scene.output(name))) for name in scene.outputs}
    driver.kill()
    driver.is_gone()
    for name, old in known.items():
        assert old <= Counter(rows(scene.output(name))), name


def ids(table: pa.Table) -> list[int]:
    return sorted(table["id"].to_pylist())


def rows(table: pa.Table) -> list[tuple[Any, ...]]:
    return sorted(zip(*(column.to_pylist() for column in table.columns), strict=True))


def killed_again_and_again(scene: Fed, kills: int, longest: float, bidder: Bidder) -> tuple[Family, int]:
    """The driver that comes after some that were killed, and the first id that was sent to it."""
    moments = random.Random(kills)
    for _ in range(kills):
        kill_at_a_moment(scene, moments, longest)
    eventually(lambda: bidder.connected_at is None, "the last hang-up is noticed")
    driver = scene.driver()
    driver.until(lambda: bidder.connected_at is not None, "it takes bids")
    surely_from = bidder.connected_at
    assert surely_from is not None
    eventually(lambda: bidder.given > surely_from + 1000, "more bids are sent")
    return driver, surely_from


@KILLED
@pytest.mark.timeout(1800)
def test_after_kill_9_every_tuple_is_there_once_and_changes_add_up_to_what_sql_says(
    start: Start, tmp_path: Path, free_port: int, runner: Runner, kills: int, longest: float
) -> None:
    scene = Fed(start, tmp_path, runner, free_port)
    with Bidder(free_port) as bidder, Filer(tmp_path / "in", scene.form) as filer:
        driver, surely_from = killed_again_and_again(scene, kills, longest, bidder)
    scene.finish(driver)
    bids, auctions = scene.accepted("Bid"), scene.accepted("Auction")
    assert ids(auctions) == list(range(filer.given))
    assert len(bids) == len(set(ids(bids)))
    assert set(range(surely_from, bidder.given)) <= set(ids(bids))
    every_tuple_is_there_once(scene, bids, auctions)
    changes_add_up(scene, {"Bid": bids, "Auction": auctions}, random.Random(kills))


def every_tuple_is_there_once(scene: Scene, bids: pa.Table, auctions: pa.Table) -> None:
    assert ids(scene.output("bids")) == ids(bids)
    assert ids(scene.output("auctions")) == ids(auctions)
    every = pa.concat_tables([bids, auctions])
    assert rows(scene.output("both")) == rows(every)
    assert rows(scene.output("moments")) == sorted(set(rows(every.select(["kind", "made"]))))


def changes_add_up(scene: Scene, streams: Mapping[str, pa.Table], moments: random.Random) -> None:
    made = sorted({each for stream in streams.values() for each in stream["made"].to_pylist()})
    for name in WINDOWS:
        changes = scene.output(name)
        assert len(changes), name
        for instant in (*moments.sample(made, 20), made[-1], datetime(2099, 1, 1)):
            assert answer_of(changes, instant) == right_answer(name, instant, streams), (name, instant)


def answer_of(changes: pa.Table, instant: datetime) -> Counter[tuple[Any, ...]]:
    """What changes up to an instant add up to."""
    enters = {"+I", "+U"}
    answer: Counter[tuple[Any, ...]] = Counter()
    for op, ts, *row in zip(*(column.to_pylist() for column in changes.columns), strict=True):
        if ts <= instant:
            answer[tuple(row)] += 1 if op in enters else -1
    assert min(answer.values(), default=0) >= 0
    return +answer


RIGHT = {
    "pairs": "SELECT b.id, b.made, a.made FROM {bids_2} AS b JOIN {auctions_2} AS a"
    " ON b.id % 5000 = a.id % 5000 AND a.kind = 3",
    "kinds": "SELECT DISTINCT kind, made FROM {bids_1}",
    "totals": "SELECT kind, count(*), sum(id), max(id) FROM {slid_bids_2} GROUP BY kind",
    "lonely": "SELECT id, made FROM {bids_2} AS b"
    " WHERE id % 5000 NOT IN (SELECT id % 5000 FROM {auctions_1} WHERE kind = 3)",
}
"""The same queries over what is live; `{bids_2}` are the bids of the last two seconds."""


def right_answer(name: str, instant: datetime, streams: Mapping[str, pa.Table]) -> Counter[tuple[Any, ...]]:
    """What SQL says of the live tuples."""
    now = f"TIMESTAMP '{instant}'"
    slid = f"time_bucket(INTERVAL 500 MILLISECOND, {now})"
    query = RIGHT[name].format(
        bids_1=live("Bid", 1, now),
        bids_2=live("Bid", 2, now),
        slid_bids_2=live("Bid", 2, slid),
        auctions_1=live("Auction", 1, now),
        auctions_2=live("Auction", 2, now),
    )
    with duckdb.connect() as engine:
        for stream, table in streams.items():
            engine.register(stream, table)
        return Counter(engine.execute(query).fetchall())


def live(stream: str, seconds: int, instant: str) -> str:
    """The tuples that a window of some seconds holds at an instant."""
    return f"(FROM {stream} WHERE made > {instant} - INTERVAL {seconds} SECOND AND made <= {instant})"
