"""What a checkpoint's state is said to hold."""

from __future__ import annotations

from pathlib import Path

import pytest

import windrow
from windrow.cli.state import state, state_table
from windrow.errors import CheckpointError


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    with windrow.connect("inline", checkpoint=tmp_path / "kept") as db:
        db.execute("CREATE STREAM S (k INT, ts TIMESTAMP) ORDER BY ts")
        db.query("SELECT DISTINCT k FROM S [RANGE 10 SECONDS]", name="some keys")
        db.query("SELECT k FROM S [RANGE 10 SECONDS]", name="window")
        db.query("SELECT k FROM S WHERE k > 1", name="plain")
        db.push("S", [(1, "2026-01-01 00:00:01"), (1, "2026-01-01 00:00:02"), (2, "2026-01-01 00:00:03")])
        db.run_until_idle()
    return tmp_path / "kept"


def test_each_step_with_state_has_a_row(checkpoint: Path) -> None:
    told = state_table(checkpoint).to_pylist()
    assert {each["query"] for each in told} == {"some keys", "window"}
    (distinct,) = (each for each in told if each["step"].endswith("Distinct"))
    assert distinct["bucket"] == 0
    assert distinct["rows"] >= 2
    assert distinct["bytes"] > 0


def test_what_ends_says_between_which_instants(checkpoint: Path) -> None:
    (window,) = (each for each in state_table(checkpoint).to_pylist() if each["query"] == "window")
    assert (window["first ends"].second, window["last ends"].second) == (11, 13)


def test_a_damaged_file_is_named(checkpoint: Path) -> None:
    victim = next((checkpoint / "state").glob("*/*/*/*.arrow"))
    victim.write_bytes(b"rubbish")
    with pytest.raises(CheckpointError, match=victim.name):
        state_table(checkpoint)


def test_another_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="is no checkpoint"):
        state(str(tmp_path))
