"""What executors need: this package, which is sent to them, and the libraries that it is built on, which
their own Python has to have.

Spark unpacks an archive in the folder where its workers look for modules first. The kernels' machine code
goes with it: where texts, versions and processors are the same, nothing is compiled anew.
"""

from __future__ import annotations

import os
import platform
import re
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
from pyspark import SparkFiles
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from windrow.errors import CheckpointError, RunnerError

LIBRARIES = ("datasketches", "duckdb", "numba", "numpy", "pyarrow", "pyspark", "sqlglot")
"""Those whose versions decide about results, and about the bytes that processes send each other."""
PACKAGE = Path(tempfile.gettempdir(), f"windrow-package-{os.getpid()}.zip")
"""What executors fetch, whenever one starts; gone with the process."""
SAME = "install there what requirements.lock says, or set PYSPARK_PYTHON to a Python that has it"


def runs_elsewhere(master: str) -> bool:
    """Whether workers are started by processes other than this one's JVM."""
    return re.fullmatch(r"local(\[.*\])?", master) is None


def ship(spark: SparkSession) -> None:
    """Send the package to all executors, and see that they can run it."""
    pack(Path(__file__).parents[2], PACKAGE)
    context = spark.sparkContext
    context.addArchive(f"{PACKAGE}#{__name__.partition('.')[0]}")
    # The driver's worker that plans batches looks elsewhere than all others.
    context.environment["PYTHONPATH"] = SparkFiles.getRootDirectory()
    workers = context.defaultParallelism
    columns = ", ".join(f"{name} string" for name in LIBRARIES)
    try:
        asked = spark.range(workers, numPartitions=workers).mapInArrow(tell_versions, columns)
        found = asked.toArrow().to_pylist()
    except PySparkException as error:
        raise told_by_spark("Spark's workers do not start", error) from error
    check(versions(), found)


def require_checkpoint(checkpoint: Path) -> None:
    """In a worker: refuse to work where the checkpoint of the driver is not to be seen."""
    if not checkpoint.is_dir():
        raise CheckpointError(
            f"the checkpoint {checkpoint} is not there on {platform.node()}, where Spark runs a worker",
            hint="name a checkpoint on a file system that all machines of the cluster share",
        )


def pack(package: Path, archive: Path) -> None:
    """What the package's folder holds, but Python's own cache."""
    files = (path for path in sorted(package.rglob("*")) if path.is_file() and path.suffix != ".pyc")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as written:
        for path in files:
            written.write(path, path.relative_to(package))


def versions() -> dict[str, str]:
    """Of the libraries, where this runs."""
    return {name: version(name) for name in LIBRARIES}


def tell_versions(_rows: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a worker."""
    yield pa.RecordBatch.from_pylist([versions()])


def check(ours: dict[str, str], found: Iterable[dict[str, str]]) -> None:
    """Refuse workers that have other libraries than the driver."""
    for theirs in found:
        for name, wanted in ours.items():
            if theirs[name] != wanted:
                raise RunnerError(
                    f"Spark's workers have {name} {theirs[name]}, and the driver {wanted}", hint=SAME
                )


def told_by_spark(what: str, error: object, hint: str | None = None) -> RunnerError:
    """An error for what Spark says; workers that lack a module are recognised."""
    missing = re.search(r"No (?:module named|package metadata was found for) '?(\w+)", str(error))
    if missing:
        return RunnerError(f"the Python of Spark's workers has no {missing[1]}", hint=SAME)
    return RunnerError(f"{what}: {gist(error)}", hint=hint)


def gist(error: object) -> str:
    """The line of an error that says most: where a worker's traceback is in it, its end."""
    text = str(error).strip()
    raised = re.findall(r"Traceback \(most recent call last\):\n(?:[ \t].*\n)*(\S.*)", text)
    lines = raised[-1:] or text.splitlines() or [type(error).__name__]
    return str(lines[0])
