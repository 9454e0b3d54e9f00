"""An expression that cannot be computed for some tuples: they are counted, and the rest goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

import windrow as package
from tests.faults.conftest import Start


@pytest.mark.parametrize("runner", ["inline", pytest.param("spark", marks=pytest.mark.spark)])
def test_tuples_that_cannot_be_computed_are_counted(runner: Literal["inline", "spark"]) -> None:
    with package.connect(runner, "local[2]", driver_rows=0) as db:
        db.execute("CREATE STREAM Line (text VARCHAR)")
        numbers = db.query("SELECT CAST(text AS INT) AS number FROM Line")
        texts = db.query("SELECT text FROM Line")
        for _ in range(2):
            db.push("Line", [("1",), ("x",), ("3",), ("y",)])
            db.run_until_idle()
        assert numbers.answer().to_pydict() == {"number": [1, 3, 1, 3]}
        assert texts.answer().to_pydict() == {"text": ["1", "x", "3", "y"] * 2}
        told = numbers.metrics()
        assert (told["tuples_out"], told["failed"]) == (4, 4)
        assert told["failures"][0] == {
            "stream": "Line",
            "input": '{"text":"x"}',
            "reason": "Conversion Error: Could not convert string 'x' to INT32"
            " when casting from source column text",
        }
        assert texts.metrics()["failed"] == 0


def test_the_summary_of_a_run_counts_them(windrow: Start, tmp_path: Path) -> None:
    script = tmp_path / "script.esl"
    script.write_text(
        "CREATE STREAM Line (text VARCHAR); INSERT INTO Line VALUES ('1'), ('x');"
        "CREATE QUERY numbers AS SELECT CAST(text AS INT) AS number FROM Line;"
    )
    family = windrow("run", str(script), "--runner", "inline", "--until-idle")
    assert family.wait() == 0
    told = [[cell.strip() for cell in line.split("│")] for line in family.said.splitlines()]
    (numbers,) = (cells for cells in told if cells[0] == "numbers")
    assert numbers[1:3] == ["1", "1"]
