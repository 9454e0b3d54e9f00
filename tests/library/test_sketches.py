"""Sketches answer about, whole, in panes, and from what was saved of them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import windrow
from windrow import library
from windrow.library.sketches import Distinct, Frequency, Quantile

ITEMS = (np.random.default_rng(3).zipf(1.4, 6000) % 1500).tolist()
CALLS = {
    "about_distinct(CAST(item AS VARCHAR))": lambda items: (len(set(items)), 0.06 * len(set(items))),
    "about_count(CAST(item AS VARCHAR), '7')": lambda items: (items.count(7), 0.02 * len(items)),
    "about_quantile(item, 0.9)": lambda items: (np.quantile(items, 0.9), 0.3 * np.quantile(items, 0.9)),
}
"""What each comes to of some items, and how far it may be from that."""


@pytest.mark.parametrize(
    ("class_", "rows"),
    [
        (Distinct, [(f"{item}",) for item in ITEMS]),
        (Frequency, [(f"{item}", "7") for item in ITEMS]),
        (Quantile, [(float(item), 0.9) for item in ITEMS]),
    ],
)
def test_parts_merge_to_about_the_whole(class_: Any, rows: list[tuple[Any, ...]]) -> None:
    parts = [class_() for _ in range(4)]
    whole = class_()
    for place, row in enumerate(rows):
        parts[place * 4 // len(rows)].iterate(*row)
        whole.iterate(*row)
    first, *others = [pickle.loads(pickle.dumps(part)) for part in parts]
    for other in others:
        first.merge(other)
    assert first.terminate() == pytest.approx(whole.terminate(), rel=0.05)
    assert class_().terminate() in (0, None)


def test_they_have_panes(db: windrow.Database) -> None:
    db.execute("CREATE STREAM S (n INT, item BIGINT)")
    db.execute(library.text("sketches"))
    frame = "OVER (ROWS 1999 PRECEDING SLIDE 500)"
    queries = {call: db.query(f"SELECT n, {call} {frame} AS about FROM S") for call in CALLS}
    db.push("S", list(enumerate(ITEMS)))
    db.run_until_idle()
    for call, query in queries.items():
        assert "ROWS 3 PRECEDING" in query.explain()
        rows = query.answer().to_pylist()
        assert [row["n"] for row in rows] == list(range(499, len(ITEMS), 500))
        for row in rows:
            truth, margin = CALLS[call](ITEMS[max(0, row["n"] - 1999) : row["n"] + 1])
            assert abs(row["about"] - truth) <= margin, (call, row)
