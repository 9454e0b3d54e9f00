"""EXPLAIN is what users see: its text is compared with files in golden/, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.plan.samples import merged_calls
from tests.plan.test_choosing import joined_and_lacking, seen
from windrow.errors import Error
from windrow.plan.choosing import Alternative, choose
from windrow.plan.explain import Format, explain
from windrow.plan.rules.optimizer import optimize
from windrow.plan.statistics import Statistics

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


@pytest.mark.parametrize("values", [100, 5000])
def test_what_was_chosen_is_shown_beside_its_alternatives(values: int) -> None:
    """Of figure 3.5; where a column has few values, and a join many results, the negation goes below."""
    known = Statistics.of(**dict.fromkeys("xyz", seen(10, values)))
    choice = choose(joined_and_lacking(), known)
    told = explain(choice.plan, "text", known, choice.alternatives)
    assert told == (GOLDEN / f"of_{values}_values.text.txt").read_text()


def test_alternatives_are_data_in_json() -> None:
    known = Statistics.of(**dict.fromkeys("xy", seen(10, 100)))
    choice = choose(joined_and_lacking(), known)
    told = json.loads(explain(choice.plan, "json", known, choice.alternatives))
    assert told["guessed"] == ["Z"]
    assert told["alternatives"][0] == {
        "rules": ["push_down_negation"],
        "cost": told["cost"],
        "chosen": True,
    }
    assert [each["chosen"] for each in told["alternatives"]].count(True) == 1


def test_only_the_cheapest_of_many_are_shown() -> None:
    others = [Alternative((f"rule{number}",), number) for number in range(1, 10)]
    told = explain(merged_calls(), alternatives=others)
    assert told.endswith("      7 instead: rule7\n  and 2 more that cost as much or more\n")
