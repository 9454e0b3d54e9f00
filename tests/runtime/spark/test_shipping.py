"""What executors get and what is asked of them. That they run with it, tests/faults/test_chaos.py shows."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import windrow
from windrow.errors import CheckpointError, RunnerError
from windrow.runtime.spark.shipping import (
    check,
    pack,
    require_checkpoint,
    runs_elsewhere,
    told_by_spark,
    versions,
)


@pytest.mark.parametrize("master", ["local", "local[*]", "local[2]", "local[2,4]"])
def test_threads_of_the_driver_have_its_package(master: str) -> None:
    assert not runs_elsewhere(master)


@pytest.mark.parametrize("master", ["local-cluster[2,1,2048]", "spark://host:7077", "yarn", "k8s://host"])
def test_other_processes_get_the_package(master: str) -> None:
    assert runs_elsewhere(master)


def test_the_package_goes_with_its_data_and_machine_code_but_without_pythons_cache(tmp_path: Path) -> None:
    package = tmp_path / "windrow"
    files = ("log.properties", "__pycache__/sums.nbi", "kernels/sums.py", "library/some.esl")
    for name in (*files, "__pycache__/sums.cpython-311.pyc"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(name)
    pack(package, tmp_path / "package.zip")
    with zipfile.ZipFile(tmp_path / "package.zip") as packed:
        assert sorted(packed.namelist()) == sorted(files)
        assert packed.read("kernels/sums.py") == b"kernels/sums.py"


def test_the_package_is_all_of_windrow(tmp_path: Path) -> None:
    pack(Path(windrow.__file__).parent, tmp_path / "package.zip")
    with zipfile.ZipFile(tmp_path / "package.zip") as packed:
        assert {"__init__.py", "py.typed", "runtime/spark/shipping.py"} <= set(packed.namelist())


def test_workers_with_another_library_are_refused() -> None:
    check(versions(), [versions()])
    with pytest.raises(RunnerError, match=r"have duckdb 1\.0\.0, and the driver 2") as refused:
        check({**versions(), "duckdb": "2"}, [{**versions(), "duckdb": "1.0.0"}])
    assert refused.value.hint is not None
    assert "requirements.lock" in refused.value.hint


@pytest.mark.parametrize(
    "said",
    [
        "Job aborted\nTraceback …\nModuleNotFoundError: No module named 'numba'\n\tat org.apache…",
        "PackageNotFoundError: No package metadata was found for numba\n",
    ],
)
def test_a_module_that_workers_lack_is_named(said: str) -> None:
    told = told_by_spark("a batch failed in Spark", ValueError(said))
    assert told.message == "the Python of Spark's workers has no numba"
    assert told.hint is not None
    assert "PYSPARK_PYTHON" in told.hint


def test_all_else_that_spark_says_is_told_by_its_first_line() -> None:
    told = told_by_spark("a batch failed in Spark", ValueError("Job aborted\n\tat org.apache…"))
    assert str(told) == "a batch failed in Spark: Job aborted"


def test_of_a_workers_traceback_its_end_is_told() -> None:
    said = (
        "Job aborted: PythonException: Traceback (most recent call last):\n"
        '  File "worker.py", line 1, in main\n'
        "    process()\n"
        "OSError: no more room\n"
        "\tat org.apache…"
    )
    assert str(told_by_spark("a batch failed in Spark", ValueError(said))) == (
        "a batch failed in Spark: OSError: no more room"
    )


def test_a_worker_that_does_not_see_the_checkpoint_says_where_it_is(tmp_path: Path) -> None:
    require_checkpoint(tmp_path)
    with pytest.raises(CheckpointError, match="nowhere is not there on ") as refused:
        require_checkpoint(tmp_path / "nowhere")
    assert refused.value.hint is not None
    assert "share" in refused.value.hint
