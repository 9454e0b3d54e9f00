"""The Spark session that pipelines run in: one a process, started when first needed."""

from __future__ import annotations

import atexit
import os
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from windrow.errors import RunnerError
from windrow.java import require_java
from windrow.runtime.spark.shipping import PACKAGE, runs_elsewhere, ship
from windrow.runtime.spark.source import LogSource
from windrow.runtime.spark.starting import complaint, start_jvm, undisturbed

LOGGING = Path(__file__).with_name("log4j2.properties")
LOG = Path(tempfile.gettempdir(), f"windrow-spark-{os.getpid()}.log")
"""What Spark has to say, for when something fails; gone with the process if nothing did."""

SETTINGS: Mapping[str, str] = {
    "spark.app.name": "windrow",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={LOGGING.as_uri()} -Dwindrow.log={LOG}",
    # Stages are small and many: what adapts or splits them costs more than it saves.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",  # a row is a whole delta
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.numRecentProgressUpdates": "10",
    "spark.sql.streaming.stopTimeout": "60s",
}
LOCAL: Mapping[str, str] = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
"""Where Spark runs on this machine alone."""
_lock = threading.Lock()
_own: list[SparkSession] = []
_equipped: list[SparkContext] = []
"""The cluster that has got the package."""


def session(master: str, more: Mapping[str, str]) -> SparkSession:
    """The session that is there already, or a new one that ends with the process.

    Connectors that a session was not started with, sources and sinks add to it themselves.
    """
    with _lock:
        found = _running()
        if found is not None and found in _own and found.sparkContext.master != master:
            if found.streams.active:
                raise RunnerError(
                    f"this process runs queries on Spark at {found.sparkContext.master} already",
                    hint=f"close their database before you open one at {master}",
                )
            found.stop()
            found = None
        if found is None:
            found = _started(master, more)
            _own[:] = [found]
        context = found.sparkContext
        if context not in _equipped and runs_elsewhere(str(context.master)):
            ship(found)
            _equipped[:] = [context]
        found.dataSource.register(LogSource)
        return found


def _running() -> SparkSession | None:
    """Whatever thread asks; a program may have started one of its own."""
    if SparkContext._active_spark_context is None:
        return None
    found: SparkSession = SparkSession.builder.getOrCreate()
    return next((own for own in _own if own.sparkContext is found.sparkContext), found)


def _started(master: str, more: Mapping[str, str]) -> SparkSession:
    os.environ["JAVA_HOME"] = str(require_java().home)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master.startswith("local"):
        more = {**LOCAL, **more}
    conf = SparkConf().setMaster(master).setAll([*{**SETTINGS, **more}.items()])
    try:
        with undisturbed():
            start_jvm(conf, LOG)
            return SparkSession.builder.config(conf=conf).getOrCreate()
    except (PySparkException, Py4JError, RuntimeError) as error:
        raise RunnerError(
            f"Spark did not start: {complaint(LOG) or str(error).splitlines()[0]}",
            hint="run `windrow doctor`; the inline runner needs no Spark",
        ) from error


@atexit.register
def _stop() -> None:
    for old in _own:
        old.stop()
    for path in (LOG, PACKAGE):
        path.unlink(missing_ok=True)
