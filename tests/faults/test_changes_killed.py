"""kill -9 of a driver that changes tables: a statement is there whole or never ran, and queries follow."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import windrow
from tests.faults.conftest import Start
from tests.faults.killed_changer import script
from windrow.log.relation_log import read_entries

DRIVER = Path(__file__).with_name("killed_changer.py")


def written(folder: Path) -> pa.Table:
    return ds.dataset(folder, format="parquet").to_table()


def balance(changes: pa.Table) -> Counter[Any]:
    sums: Counter[Any] = Counter()
    for change in changes.to_pylist():
        sums[change["k"], change["n"]] += 1 if change["op"] in ("+I", "+U") else -1
    return +sums


def met(db: windrow.Database, tuples: list[dict[str, Any]]) -> Counter[Any]:
    """Each tuple with the row that was the newest of its key before it came."""
    relation = db.catalog.relations["n"]
    log = db.relations.logs[relation.log]
    entries = log.index().entries
    found: Counter[Any] = Counter()
    for each in tuples:
        changes = read_entries(log, entries[entries["max_ts"] < each["t"]], relation.schema.arrow)
        newest = max(
            (
                row["n"]
                for row, sign in zip(changes.rows.to_pylist(), changes.sign, strict=True)
                if sign > 0 and row["k"] == each["k"]
            ),
            default=None,
        )
        found[each["k"], newest] += 1
    return found


@pytest.mark.timeout(300)
def test_after_kill_9_joins_are_those_of_what_was_logged(start: Start, tmp_path: Path) -> None:
    folder, checkpoint, moments = tmp_path / "out", tmp_path / "checkpoint", random.Random(5)
    for _ in range(2):
        before = len(list(folder.glob("*/part-*")))
        driver = start(str(DRIVER), str(checkpoint), str(folder))
        driver.until(lambda: len(list(folder.glob("*/part-*"))) > before, "something comes out")  # noqa: B023
        with pytest.raises(subprocess.TimeoutExpired):
            driver.process.wait(moments.uniform(0, 0.5))
        driver.kill()
        driver.is_gone()
    with windrow.connect("inline", checkpoint=checkpoint) as db:
        db.execute(script(folder))
        db.run_until_idle()
        tuples = db.snapshot("SELECT k, epoch_us(t) AS t FROM S").to_pylist()
        rows = {row["k"]: row["n"] for row in db.rows("T").to_pylist()}
        assert len(tuples) > 3
        current = Counter((each["k"], rows[each["k"]]) for each in tuples if each["k"] in rows)
        assert balance(written(folder / "current")) == current
        found = written(folder / "met").to_pylist()
        assert Counter((row["k"], row["n"]) for row in found) == met(db, tuples)
