"""EXPLAIN is what users see: its text is compared with files in golden/, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.plan.samples import merged_calls
from windrow.errors import Error
from windrow.plan.explain import Format, explain
from windrow.plan.rules.optimizer import optimize

GOLDEN = Path(__file__).with_name("golden")


@pytest.mark.parametrize("format_", ["text", "json", "dot"])
def test_the_optimised_plan_reads_as_recorded(format_: Format) -> None:
    assert explain(optimize(merged_calls()), format_) == (GOLDEN / f"optimised.{format_}.txt").read_text()


def test_the_plan_as_written_reads_as_recorded() -> None:
    assert explain(merged_calls()) == (GOLDEN / "as_written.text.txt").read_text()


def test_every_node_says_the_same_things_in_json() -> None:
    def check(node: dict[str, object]) -> None:
        assert list(node) == [
            *("node", "detail", "pattern", "rate", "negatives", "live", "keeps"),
            *("distribution", "stage", "columns", "inputs"),
        ]
        inputs = node["inputs"]
        assert isinstance(inputs, list)
        for each in inputs:
            check(each)

    check(json.loads(explain(merged_calls(), "json"))["plan"])


def test_an_unknown_format_is_refused_with_the_choices() -> None:
    with pytest.raises(Error, match="formats are: text, json, dot"):
        explain(merged_calls(), "yaml")  # type: ignore[arg-type]
