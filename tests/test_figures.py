"""Drawings in docs/ show what the code does now."""

from __future__ import annotations

import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

DOCS = Path(__file__).parents[1] / "docs"
REDRAW = "draw it again: python docs/figure_3_5.py"


@pytest.fixture(scope="module")
def picture() -> str:
    drawing: str = runpy.run_path(str(DOCS / "figure_3_5.py"))["picture"]()
    return drawing


def test_figure_3_5_is_up_to_date(picture: str) -> None:
    assert picture == (DOCS / "figure_3_5.svg").read_text(), REDRAW


def test_it_shows_both_plans(picture: str) -> None:
    """In the one the negation is above the join, in the other below it; lower steps are drawn first."""
    words = [text for each in ElementTree.fromstring(picture).iter() if (text := each.text)]
    steps = [text.split()[0] for text in words if text.startswith(("Negation", "Join"))]
    assert steps == ["Join", "Negation", "Negation", "Join"]
