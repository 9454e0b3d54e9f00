"""The scripts of this folder, the language's readable specification: each holds, inline and on Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from windrow.cli.failures import described
from windrow.cli.opening import Options
from windrow.cli.test import run_script
from windrow.errors import Error

SCRIPTS = sorted(Path(__file__).parent.glob("*.esl"))
ON_SPARK = ("late_tuples", "not_exists", "over_slide", "reevaluation", "set_operations")
"""The others have their run on Spark with `windrow test tests/scripts`."""


def holds(script: Path, options: Options) -> None:
    try:
        assertions = run_script(script.read_text(encoding="utf-8"), options)
    except Error as error:
        pytest.fail(described(error, script.name, 100).plain, pytrace=False)
    assert assertions > 0


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_script(script: Path) -> None:
    holds(script, Options(runner="inline"))


@pytest.mark.spark
@pytest.mark.parametrize("name", ON_SPARK)
def test_script_on_spark(name: str) -> None:
    holds(Path(__file__).with_name(f"{name}.esl"), Options(runner="spark", master="local[2]"))
