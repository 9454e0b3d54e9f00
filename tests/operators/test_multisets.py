"""The oracle is DuckDB's DISTINCT, INTERSECT and EXCEPT over the tuples that live at an instant."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.playing import CALLS, Call, History, check, histories, received
from windrow.operators import delta_star
from windrow.plan.grouping import Distinct
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Node
from windrow.schema import Schema

LEFT = Schema.of(("a", "BIGINT"), ("b", "VARCHAR"))
RIGHT = Schema.of(("x", "BIGINT"), ("y", "VARCHAR"))
ROWS = st.tuples(st.sampled_from([None, 0, 1]), st.sampled_from([None, "u"]))
NUMBERS = Schema.of(("a", "BIGINT"), ("b", "SMALLINT"))
PAIRS = st.tuples(st.sampled_from([None, 0, 1]), st.sampled_from([None, -1]))
PARTS = st.sampled_from([1, 2, delta_star.PART])


def check_in_parts(
    part: int, node: Node, inputs: Sequence[History], sql: str, calls: Sequence[Call]
) -> None:
    """With so many tuples gone through at once."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(delta_star, "PART", part)
        check(node, inputs, sql, calls)


@settings(deadline=None, max_examples=60)
@given(
    st.one_of(histories(LEFT, ROWS), histories(NUMBERS, PAIRS)), CALLS, st.booleans(), st.booleans(), PARTS
)
def test_distinct_gives_one_of_all_equal_tuples(
    history: History, calls: Sequence[Call], tells_ends: bool, scanned: bool, part: int
) -> None:
    node = Distinct(received("L", history.schema, history.pattern), tells_ends=tells_ends, scanned=scanned)
    check_in_parts(part, node, [history], "SELECT DISTINCT * FROM l", calls)


@settings(deadline=None, max_examples=100)
@given(histories(LEFT, ROWS), histories(RIGHT, ROWS), CALLS, st.booleans(), st.booleans(), PARTS)
def test_intersect_gives_what_both_have(
    left: History, right: History, calls: Sequence[Call], distinct: bool, tells_ends: bool, part: int
) -> None:
    edges = received("L", LEFT, left.pattern), received("R", RIGHT, right.pattern)
    node = Intersect(*edges, distinct, tells_ends=tells_ends)
    check_in_parts(part, node, [left, right], f"FROM l INTERSECT {'' if distinct else 'ALL'} FROM r", calls)


@settings(deadline=None, max_examples=60)
@given(histories(LEFT, ROWS), histories(RIGHT, ROWS), CALLS, st.booleans(), st.booleans(), PARTS)
def test_except_gives_what_the_left_has_more(
    left: History, right: History, calls: Sequence[Call], distinct: bool, scanned: bool, part: int
) -> None:
    edges = received("L", LEFT, left.pattern), received("R", RIGHT, right.pattern)
    node = Except(*edges, distinct, scanned=scanned)
    check_in_parts(part, node, [left, right], f"FROM l EXCEPT {'' if distinct else 'ALL'} FROM r", calls)
