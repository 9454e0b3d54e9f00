"""A cluster that cannot work says what is missing, in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import clusters
from tests.faults.conftest import Start

pytestmark = [pytest.mark.slow, pytest.mark.spark, pytest.mark.timeout(300)]
SCRIPT = "CREATE STREAM Tick (value BIGINT) SOURCE 'rate://100'; SELECT value FROM Tick;"


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.esl"
    path.write_text(SCRIPT)
    return str(path)


def test_a_cluster_that_is_not_there(windrow: Start, script: str, free_port: int) -> None:
    """Spark asks for a minute, and ends itself while it starts."""
    run = windrow("run", script, "--master", f"spark://127.0.0.1:{free_port}")
    assert run.wait() == 2, run.said
    assert "error: Spark did not start: " in run.said
    assert "Traceback" not in run.said


def test_executors_without_a_library(
    windrow: Start, script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = tmp_path / "missing"
    missing.mkdir()
    (missing / "duckdb.py").write_text("raise ModuleNotFoundError(\"No module named 'duckdb'\")")
    monkeypatch.setenv("PYSPARK_PYTHON", str(clusters.bare_python(tmp_path, missing)))
    monkeypatch.setenv("SPARK_HOME", str(clusters.spark_home(tmp_path / "spark")))
    run = windrow("run", script, "--master", "local-cluster[1,1,1024]")
    assert run.wait() == 2, run.said
    assert run.said.splitlines()[-2:] == [
        "error: the Python of Spark's workers has no duckdb",
        "hint: install there what requirements.lock says, or set PYSPARK_PYTHON to a Python that has it",
    ]
    run.is_gone()
    assert run.temporary_files == []
