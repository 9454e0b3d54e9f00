"""Figures that are read at a glance."""

from __future__ import annotations

import pytest

from windrow.plan.description import compact, significant


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (0.0123, "0.012"),
        (0.5, "0.5"),
        (7, "7"),
        (7.25, "7.2"),
        (99.7, "100"),
        (999, "999"),
        (999.9, "1k"),
        (1234, "1.2k"),
        (56_789, "57k"),
        (999_900, "1M"),
        (2.5e9, "2.5G"),
        (1e15, "1000T"),
        (3.8e-155, "0"),
    ],
)
def test_compact(number: float, text: str) -> None:
    assert compact(number) == text


def test_significant() -> None:
    assert significant(123456.789) == 123500.0
