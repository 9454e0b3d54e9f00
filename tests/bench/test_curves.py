"""Curves on the screen, in the results file and in the picture."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from bench.measuring.curves import Claim, Curves, as_data, on_screen
from bench.measuring.picture import draw

CLAIM = Claim("one is faster", False, "0.5 times", "it has less to do")
CURVES = Curves(
    "times", "window", (10.0, 100.0), "ms", {"one": (1.0, 2.123456), "other": (3.0, 4.0)}, (CLAIM,)
)


def test_what_is_claimed_is_told_with_whether_it_holds() -> None:
    console = Console(width=80)
    with console.capture() as shown:
        console.print(on_screen(CURVES))
    assert "✗ one is faster: 0.5 times (it has less to do)" in shown.get()
    told = as_data(CURVES)
    assert told["lines"]["one"] == [1.0, 2.1235]
    assert [claim["holds"] for claim in told["claims"]] == [False]


def test_the_same_curves_give_the_same_picture(tmp_path: Path) -> None:
    for name in ("first.svg", "second.svg"):
        draw([CURVES], tmp_path / name)
    first, second = ((tmp_path / name).read_text() for name in ("first.svg", "second.svg"))
    assert first == second
    assert ">window<" in first
