"""kill -9 of the driver at moments that nobody chose, while tuples come from a socket and as files.

After a restart with the same checkpoint each accepted tuple is in the Parquet files once. Of files,
every row is accepted; of what is sent, the lines that came into the stream log: what was still in
the sockets when the driver died is lost, and nobody was told that it had been taken.
"""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import windrow
from tests.faults.conftest import Family, Start, eventually
from tests.faults.feeders import SCHEMA, Bidder, Filer
from windrow.catalog import Part, Stream
from windrow.log.file_log import FileLogReader
from windrow.log.stream_log import part_schemas

DRIVER = Path(__file__).with_name("killed_driver.py")
Runner = Literal["spark", "inline"]
OUTPUTS = ("bids", "auctions", "both", "moments")
EARLY = 0.2
"""The share of drivers that are killed before they give anything out, perhaps."""
DRIVER_ROWS = (0, 2000)
"""With the one, workers run all batches; with the other, the driver runs the small ones."""


class Scene:
    """A folder in which drivers run, one after another, on one checkpoint."""

    def __init__(self, start: Start, folder: Path, runner: Runner, port: int) -> None:
        self._start, self._folder, self._runner, self._port = start, folder, runner, port
        self._checkpoint = folder / "checkpoint"
        self._drivers = 0

    def driver(self) -> Family:
        rows = DRIVER_ROWS[self._drivers % len(DRIVER_ROWS)]
        self._drivers += 1
        arguments = (DRIVER, self._runner, self._checkpoint, self._port, self._folder, rows)
        return self._start(*map(str, arguments))

    def output(self, name: str) -> pa.Table:
        if not self.parts(name):
            return SCHEMA.empty_table()
        return ds.dataset(self._folder / name, format="parquet").to_table()

    def parts(self, *names: str) -> list[Path]:
        return [path for name in names for path in (self._folder / name).glob("part-*")]

    def half_written(self) -> list[Path]:
        return [path for name in OUTPUTS for path in (self._folder / name / ".windrow").glob("part-*")]

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


def kill_at_a_moment(scene: Scene, moments: random.Random, longest: float) -> None:
    """What was in place before stays in place, and nothing comes into it twice."""
    before = len(scene.parts(*OUTPUTS))
    driver = scene.driver()
    if moments.random() >= EARLY:
        driver.until(lambda: len(scene.parts(*OUTPUTS)) > before, "something comes out")
    with pytest.raises(subprocess.TimeoutExpired):
        driver.process.wait(moments.uniform(0, longest))
    known = {name: ids(scene.output(name)) for name in ("bids", "auctions")}
    driver.kill()
    driver.is_gone()
    for name, old in known.items():
        new = ids(scene.output(name))
        assert len(new) == len(set(new))
        assert set(old) <= set(new)


def ids(table: pa.Table) -> list[int]:
    return sorted(table["id"].to_pylist())


def rows(table: pa.Table) -> list[tuple[Any, ...]]:
    return sorted(zip(*(column.to_pylist() for column in table.columns), strict=True))


@pytest.mark.parametrize(
    ("runner", "kills", "longest"),
    [
        ("inline", 10, 0.5),
        pytest.param("inline", 60, 1.0, marks=pytest.mark.slow),
        pytest.param("spark", 3, 1.5, marks=pytest.mark.spark),
        pytest.param("spark", 30, 4.0, marks=[pytest.mark.spark, pytest.mark.slow]),
    ],
)
@pytest.mark.timeout(1800)
def test_after_kill_9_every_accepted_tuple_is_there_once(
    start: Start, tmp_path: Path, free_port: int, runner: Runner, kills: int, longest: float
) -> None:
    scene = Scene(start, tmp_path, runner, free_port)
    form = "parquet" if runner == "spark" else "csv"
    moments = random.Random(kills)
    with Bidder(free_port) as bidder, Filer(tmp_path / "in", form) as filer:
        for _ in range(kills):
            kill_at_a_moment(scene, moments, longest)
        eventually(lambda: bidder.connected_at is None, "the last hang-up is noticed")
        driver = scene.driver()
        driver.until(lambda: bidder.connected_at is not None, "it takes bids")
        surely_from = bidder.connected_at
        assert surely_from is not None
        eventually(lambda: bidder.given > surely_from + 1000, "more bids are sent")
    (tmp_path / "finish").touch()
    assert driver.wait() == 0, driver.said
    driver.is_gone()

    bids, auctions = scene.accepted("Bid"), scene.accepted("Auction")
    assert ids(auctions) == list(range(filer.given))
    assert len(bids) == len(set(ids(bids)))
    assert set(range(surely_from, bidder.given)) <= set(ids(bids))
    assert ids(scene.output("bids")) == ids(bids)
    assert ids(scene.output("auctions")) == ids(auctions)
    every = pa.concat_tables([bids, auctions])
    assert rows(scene.output("both")) == rows(every)
    assert rows(scene.output("moments")) == sorted(set(rows(every.select(["kind", "made"]))))
    assert scene.half_written() == []
