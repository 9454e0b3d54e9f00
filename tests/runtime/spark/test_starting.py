"""Spark's start: what is put off until it is done, and what is told if it fails."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from windrow.runtime.spark.starting import complaint, undisturbed


def test_a_signal_is_put_off_until_the_start_is_done() -> None:
    done = []

    def start() -> None:
        with undisturbed():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("started")

    with pytest.raises(KeyboardInterrupt):
        start()
    assert done == ["started"]


def test_whoever_handled_signals_goes_on_handling_them() -> None:
    before = signal.getsignal(signal.SIGINT)
    with undisturbed():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # as PySpark puts a handler of its own
    assert signal.getsignal(signal.SIGINT) is before


def test_the_reason_of_a_failed_start_is_found_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "spark.log"
    log.write_text(
        "WARNING: Using incubator modules\n"
        'Exception in thread "main" org.apache.spark.SparkException: Master must be another\n'
        "\tat org.apache.spark.deploy.SparkSubmit.error(SparkSubmit.scala:1068)\n"
    )
    assert complaint(log) == "Master must be another"


def test_a_log_that_says_nothing_gives_no_reason(tmp_path: Path) -> None:
    (tmp_path / "spark.log").write_text("WARNING: Using incubator modules\n")
    assert complaint(tmp_path / "spark.log") is None
    assert complaint(tmp_path / "nowhere.log") is None
