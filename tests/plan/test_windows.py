"""What windows promise of their results, and what they refuse."""

from __future__ import annotations

import pytest

from tests.plan.samples import scan
from windrow.plan.nodes import Union
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Extent, Window, WindowSpec


def window(size: int, slide: int | None = None, extent: Extent = Extent.TIME) -> Window:
    return Window(scan("S"), WindowSpec(extent, size, slide))


@pytest.mark.parametrize(
    ("left", "right", "pattern"),
    [
        (window(10), window(10), Pattern.WKS),
        (window(10, 5), window(10, 2), Pattern.WKS),
        (window(10), window(11), Pattern.WK),
        (window(10, 4), window(10, 3), Pattern.WK),
        (window(10), window(10, extent=Extent.COUNT), Pattern.STR),
    ],
)
def test_a_union_is_first_in_first_out_if_all_live_equally_long(
    left: Window, right: Window, pattern: Pattern
) -> None:
    assert Union((left, right)).pattern is pattern


def test_a_window_of_so_many_tuples_cannot_tell_when_they_leave() -> None:
    with pytest.raises(ValueError, match="nobody knows"):
        Window(scan("S"), WindowSpec(Extent.COUNT, 3), exposed="leaves")
