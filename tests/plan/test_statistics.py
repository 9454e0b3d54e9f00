"""Statistics are written down with a query, and read again as they were."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from windrow.plan.statistics import RATE, ROWS, Observed, Statistics

NUMBERS = st.one_of(st.none(), st.floats(1, 1e9))
SEEN = st.builds(
    Observed,
    NUMBERS,
    NUMBERS,
    st.dictionaries(st.text(), st.floats(1, 1e9)).map(lambda d: tuple(d.items())),
)


@given(st.dictionaries(st.text(), SEEN).map(lambda seen: Statistics(tuple(seen.items()))))
def test_what_was_written_is_read(statistics: Statistics) -> None:
    assert Statistics.read(statistics.text) == statistics


def test_nothing_seen_is_an_empty_text() -> None:
    assert Statistics().text == ""
    assert Statistics.read("") == Statistics()


def test_what_is_not_known_is_guessed() -> None:
    known = Statistics.of(bid=Observed(7.0, values=(("price", 40.0),)))
    assert (known.rate("Bid"), known.rate("Other"), known.rows("Item")) == (7.0, RATE, ROWS)
    assert (known.values("BID", "Price"), known.values("Bid", "itemID")) == (40.0, None)
