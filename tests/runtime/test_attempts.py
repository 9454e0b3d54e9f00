"""A batch that runs in two processes at once, and once more when nobody waits for it, leaves the same.
So does one that lets go of all that it has in memory."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import Connect
from tests.runtime.stateful import feed, script, turns, written
from windrow.log.stream_log import LogReader
from windrow.runtime import inline, state
from windrow.runtime.execution import Effort, Result, Work, run_here
from windrow.runtime.state import Places

TURNS = 4


class Attempts:
    """Runs each batch three times: twice at once, and again when the next one is done."""

    def __init__(self) -> None:
        self.late: list[Work] = []

    def run(self, work: Work, logs: Mapping[str, LogReader], places: Places) -> list[Result | Effort]:
        with ThreadPoolExecutor() as side_by_side:
            other = side_by_side.submit(run_here, work, logs, Places.under(work.checkpoint))
            given = run_here(work, logs, places)
            assert len(other.result()) == len(given)
        for each in self.late:
            run_here(each, logs, Places.under(work.checkpoint))
        self.late = [work]
        return given


def test_attempts_at_a_batch_leave_the_same(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, run in (("once", run_here), ("again", Attempts().run)):
        monkeypatch.setattr(inline, "run_here", run)
        for turn in turns(TURNS):
            with connect(tmp_path / name / "kept") as db:
                db.execute(script(tmp_path / name))
                feed(db, turn)
    assert written(tmp_path / "again") == written(tmp_path / "once")


def test_state_that_takes_much_memory_is_mapped_anew(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("kept", "let go"):
        with connect(tmp_path / name / "kept") as db:
            db.execute(script(tmp_path / name))
            for turn in turns(TURNS):
                feed(db, turn)
        monkeypatch.setattr(state, "LOADED", 0)
    assert written(tmp_path / "let go") == written(tmp_path / "kept")
