"""Ctrl-C leaves no process and no half-written file; a second run goes on."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import windrow as package
from tests.faults.conftest import Family, Start

Runner = Literal["inline", "spark"]
RUNNERS = pytest.mark.parametrize("runner", ["inline", pytest.param("spark", marks=pytest.mark.spark)])
DRIVER = Path(__file__).with_name("interrupted_driver.py")


def parts(folder: Path) -> list[Path]:
    return list((folder / "out").glob("part-*"))


def run_and_interrupt(launch: Callable[[], Family], folder: Path) -> tuple[int, str]:
    """Twice, with the same checkpoint: each time when something new has come out."""
    for _ in range(2):
        family = launch()
        before = len(parts(folder))
        family.until(lambda before=before: len(parts(folder)) > before + 1, "something comes out")
        family.interrupt()
        code = family.wait()
        family.is_gone()
        assert "leaked" not in family.said, "something keeps a DuckDB alive"
        assert family.temporary_files == []
        assert list((folder / "out" / ".windrow").glob("part-*")) == []
        values = ds.dataset(folder / "out", format="parquet").to_table()["value"].to_pylist()
        assert sorted(values) == list(range(len(values)))
    return code, family.said


@RUNNERS
def test_a_run_that_is_interrupted(runner: Runner, windrow: Start, tmp_path: Path) -> None:
    script = tmp_path / "script.esl"
    script.write_text(
        "CREATE STREAM Tick (value BIGINT) SOURCE 'rate://20000';"
        f"INSERT INTO 'file://{tmp_path}/out?format=parquet' SELECT value FROM Tick;"
    )
    code, said = run_and_interrupt(
        lambda: windrow("run", str(script), "--runner", runner, "--checkpoint", f"{tmp_path}/kept"),
        tmp_path,
    )
    assert code == 130
    assert "Traceback" not in said
    assert "ERROR" not in said
    assert "tuples in" in said


@RUNNERS
def test_a_program_that_is_interrupted(runner: Runner, start: Start, tmp_path: Path) -> None:
    code, said = run_and_interrupt(lambda: start(str(DRIVER), runner, str(tmp_path)), tmp_path)
    assert code == -signal.SIGINT
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert said.count("Traceback") == 1


def test_a_program_interrupted_when_a_file_is_written_but_not_in_its_place(tmp_path: Path) -> None:
    def opened(into: Callable[[int, pa.Table], None]) -> package.Database:
        db = package.connect("inline", checkpoint=tmp_path / "kept")
        db.execute("CREATE STREAM Tick (value BIGINT)")
        db.query("SELECT value FROM Tick", into=into)
        db.execute(f"INSERT INTO 'file://{tmp_path}/out?format=parquet' SELECT value FROM Tick")
        return db

    def interrupt(_batch: int, _changes: pa.Table) -> None:
        assert list((tmp_path / "out" / ".windrow").glob("part-*")) != []
        raise KeyboardInterrupt

    with opened(interrupt) as db:
        db.push("Tick", [(1,), (2,)])
        with pytest.raises(KeyboardInterrupt):
            db.run_until_idle()
    assert list((tmp_path / "out" / ".windrow").glob("part-*")) == []
    assert parts(tmp_path) == []
    with opened(lambda _batch, _changes: None) as db:
        db.run_until_idle()
    assert ds.dataset(tmp_path / "out").to_table().to_pydict() == {"value": [1, 2]}


@pytest.mark.spark
@pytest.mark.parametrize("count", [1, 3])
def test_a_run_that_is_interrupted_while_spark_starts(count: int, windrow: Start, tmp_path: Path) -> None:
    script = tmp_path / "script.esl"
    script.write_text("CREATE STREAM Tick (value BIGINT) SOURCE 'rate://100'; SELECT value FROM Tick;")
    family = windrow("run", str(script))
    family.until(lambda: any("java" in command for command in family.members().values()), "Java starts")
    for _ in range(count):
        family.interrupt()
    assert family.wait() == 130, family.said
    family.is_gone()
    assert "Traceback" not in family.said
    assert family.temporary_files == []
