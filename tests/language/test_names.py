"""Hints for misspelt names."""

from __future__ import annotations

from windrow.language.names import counted, did_you_mean, suggest


def test_the_nearest_name_whatever_its_case() -> None:
    assert did_you_mean("BIDERID", ["itemID", "bidderID"]) == "did you mean bidderID?"
    assert did_you_mean("qqq", ["itemID", "bidderID"]) is None


def test_else_all_names() -> None:
    assert suggest("qqq", ["a", "b"], "columns are") == "columns are: a, b"
    assert suggest("qqq", [], "streams are") == "streams are: none"


def test_counted() -> None:
    assert [counted(number, "column") for number in (0, 1, 2)] == ["0 columns", "1 column", "2 columns"]
