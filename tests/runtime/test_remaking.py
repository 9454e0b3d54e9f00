"""State that is lost is computed anew from the log, or what to do is told."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from itertools import cycle
from pathlib import Path

import pytest

from tests.conftest import Connect
from tests.runtime.stateful import QUERIES, STREAMS, feed, script, turns, written
from windrow.errors import StateLost
from windrow.log.file_log import FileLog
from windrow.runtime import pipeline

TURNS = 3


COUNTED = "q5-*"
"""The state of a window of so many tuples of each key: the log keeps too little for that."""


@pytest.fixture(autouse=True)
def short_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs that drop whatever they may."""
    monkeypatch.setattr(pipeline, "FileLog", partial(FileLog, segment_bytes=1))


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


HARMS = [(harm, pattern) for harm in (damage, truncate, Path.unlink) for pattern in ("*.arrow", "*.json")]


def run(connect: Connect, folder: Path, between: Callable[[Path], object]) -> list[str]:
    """Turn after turn, each by another process; what is done in between to state that follows from the log.
    What was said."""
    said = []
    for turn in turns(TURNS):
        with connect(folder / "kept") as db:
            db.execute(script(folder))
            feed(db, turn)
            said += db.notices()
        for query in (folder / "kept" / "state").glob("*"):
            if not query.match(COUNTED):
                between(query)
    return said


def newest(directory: Path, pattern: str) -> Path:
    return max(directory.glob(pattern), key=lambda path: int(path.stem.partition("-")[0]))


def test_what_is_lost_is_computed_anew(connect: Connect, tmp_path: Path) -> None:
    harms = cycle(HARMS)

    def harm_it(query: Path) -> None:
        harm, pattern = next(harms)
        harm(newest(query / "1" / "0", pattern))

    assert run(connect, tmp_path / "whole", lambda _: None) == []
    said = run(connect, tmp_path / "harmed", harm_it)
    assert written(tmp_path / "harmed") == written(tmp_path / "whole")
    assert len(said) == (TURNS - 1) * (len(QUERIES) - 1)
    assert all("a file of the checkpoint" in each for each in said)
    assert all("remembers was computed anew from the log" in each for each in said)
    run(connect, tmp_path / "gone", shutil.rmtree)
    assert written(tmp_path / "gone") == written(tmp_path / "whole")


def test_where_the_log_holds_too_little_it_is_told_what_to_do(connect: Connect, tmp_path: Path) -> None:
    for turn in range(2):
        with connect(tmp_path) as db:
            db.execute(STREAMS)
            query = db.query("SELECT item FROM Bid [PARTITION BY item ROWS 2]", name="pairs")
            if turn:
                with pytest.raises(StateLost) as told:
                    feed(db, next(turns(1, seed=2)))
                assert told.value.message.startswith("state/pairs-3/1/0/")
                assert told.value.hint is not None
                assert "DROP QUERY pairs" in told.value.hint
                continue
            for each in turns(3):
                feed(db, each)
            assert query.answer().num_rows
        shutil.rmtree(tmp_path / "state")
