"""The file sink under kill -9 at moments that nobody chose."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pyarrow.dataset as ds
import pytest

WRITER = Path(__file__).with_name("file_writer.py")
BATCHES, ROWS = 400, 1000


@pytest.mark.parametrize("kills", [4, pytest.param(30, marks=pytest.mark.slow)])
def test_every_tuple_is_there_once_after_kill_9(kills: int, tmp_path: Path) -> None:
    target, progress = tmp_path / "out", tmp_path / "progress"
    command = [sys.executable, str(WRITER), str(target), str(progress), str(BATCHES)]
    moments = random.Random(kills)
    for _ in range(kills):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            try:
                process.wait(moments.uniform(0, 2.0 / kills))
            except subprocess.TimeoutExpired:
                process.kill()
    subprocess.run(command, check=True, timeout=60, stdout=subprocess.DEVNULL)
    table = ds.dataset(target, format="parquet").to_table()
    assert sorted(table["id"].to_pylist()) == list(range(BATCHES * ROWS))
    assert list((target / ".windrow").glob("part-*")) == []
