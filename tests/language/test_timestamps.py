"""The timestamp column of a plan: it stays known as long as it is passed through unchanged."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.language.timestamps import timestamp_column, timestamp_positions
from windrow.plan.nodes import Node


@pytest.mark.parametrize(
    ("query", "column"),
    [
        ("SELECT * FROM OpenAuction", "start_time"),
        ("SELECT * FROM ClosedAuction", "current_time"),
        ("SELECT * FROM Bid", None),
        ("SELECT price FROM OpenAuction", None),
        ("SELECT price, start_time AS t FROM OpenAuction WHERE price > 3", "t"),
        ("SELECT start_time + INTERVAL 1 HOUR AS t FROM OpenAuction", None),
        ("SELECT b FROM (SELECT start_time AS a, price FROM OpenAuction) AS t(b)", "b"),
        (
            "SELECT start_time FROM OpenAuction UNION ALL SELECT current_time FROM ClosedAuction",
            "start_time",
        ),
        ("SELECT start_time FROM OpenAuction UNION ALL SELECT bid_time FROM Bid", None),
        ("SELECT * FROM OpenAuction.late", None),
    ],
)
def test_timestamp_column(plan: Callable[[str], Node], query: str, column: str | None) -> None:
    assert timestamp_column(plan(query)) == column


def test_all_its_places_count(plan: Callable[[str], Node]) -> None:
    node = plan(
        """
        SELECT start_time AS a, start_time AS b FROM OpenAuction
        UNION SELECT TIMESTAMP '2026-01-31', current_time FROM ClosedAuction
        """
    )
    assert timestamp_positions(node) == {1}
    assert timestamp_column(node) == "b"
