"""A benchmark from its declaration to the files that it leaves."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from bench.harness import find, names, run
from windrow.errors import Error


def test_a_quick_run_shows_a_table_and_leaves_data_and_a_picture(tmp_path: Path) -> None:
    screen = io.StringIO()
    assert run(["expressions"], quick=True, console=Console(file=screen, width=120), folder=tmp_path) == 0
    assert "throughput of DuckDB / pyarrow" in screen.getvalue()
    result = json.loads((tmp_path / "expressions.json").read_text())
    assert result["quick"] is True
    assert {"machine", "versions", "measurements"} <= set(result)
    assert (tmp_path / "expressions.svg").read_text().lstrip().startswith("<?xml")


def test_a_name_that_is_wrong_by_a_letter_gets_a_hint() -> None:
    with pytest.raises(Error, match="no benchmark expresions") as raised:
        find("expresions")
    assert raised.value.hint == "did you mean expressions?"


@pytest.mark.parametrize("name", names())
def test_every_file_declares_the_benchmark_that_it_is_named_after(name: str) -> None:
    assert callable(find(name))
