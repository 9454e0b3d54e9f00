"""The oracle is SQL's EXISTS, IN and that not, for each live tuple among the rows just before it came."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.playing import CALLS, Call, History, check, histories, received
from tests.operators.test_join import LEFT, LIVING, ON, RIGHT, ROWS, on_clause
from tests.plan.samples import sql
from windrow.operators import lookups
from windrow.operators.joining import relation_half_join_operator
from windrow.plan.joins import Keys, RelationHalfJoin
from windrow.plan.patterns import Pattern

BLOCKS = st.sampled_from([1, 3, lookups.BLOCK])
ROWS_OF_NRR = histories(RIGHT, ROWS, (Pattern.STR,))
LIVE = "getvariable('now') BETWEEN l.__begin AND l.__end - 1"
SEEN = "r.__begin < l.__begin AND l.__begin <= r.__end"
COLUMNS = "l.* EXCLUDE (__begin, __end)"


def half(left: Pattern, keys: Keys, condition: str | None, **kind: bool) -> RelationHalfJoin:
    on = None if condition is None else sql(condition)
    return RelationHalfJoin(received("L", LEFT, left), received("R", RIGHT, Pattern.STR), keys, on, **kind)


@settings(deadline=None, max_examples=60)
@given(histories(LEFT, ROWS, LIVING), ROWS_OF_NRR, CALLS, st.sampled_from(ON), st.booleans(), BLOCKS)
def test_a_tuple_passes_by_the_rows_of_its_own_instant(
    left: History,
    right: History,
    calls: Sequence[Call],
    on: tuple[Keys, str | None],
    anti: bool,
    block: int,
) -> None:
    node = half(left.pattern, *on, anti=anti)
    exists = f"{'NOT ' if anti else ''}EXISTS (FROM r_all r WHERE {on_clause(*on)} AND {SEEN})"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lookups, "BLOCK", block)
        wanted = f"SELECT {COLUMNS} FROM l_all l WHERE {exists} AND {LIVE}"
        check(node, [left, right], wanted, calls, start=lambda: relation_half_join_operator(node))


OTHERS = [((), None), ((("b", "d"),), None), ((), "x < y")]


@settings(deadline=None, max_examples=60)
@given(histories(LEFT, ROWS, LIVING), ROWS_OF_NRR, CALLS, st.sampled_from(OTHERS))
def test_not_in_heeds_nulls(
    left: History, right: History, calls: Sequence[Call], on: tuple[Keys, str | None]
) -> None:
    keys, condition = on
    node = half(left.pattern, (("a", "c"), *keys), condition, anti=True, null_aware=True)
    among = f"SELECT c FROM r_all r WHERE {on_clause(*on)} AND {SEEN}"
    wanted = f"SELECT {COLUMNS} FROM l_all l WHERE a NOT IN ({among}) AND {LIVE}"
    check(node, [left, right], wanted, calls, start=lambda: relation_half_join_operator(node))
