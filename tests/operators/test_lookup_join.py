"""The oracle is DuckDB's join of each live tuple with the rows as they were just before it came."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.playing import CALLS, Call, History, Lifetime, check, histories, play, received
from tests.operators.test_join import LEFT, LIVING, ON, RIGHT, ROWS, on_clause
from tests.plan.samples import sql
from windrow.delta import Delta
from windrow.operators import lookups
from windrow.operators.lookup_join import LookupJoinOperator
from windrow.plan.joins import Keys, RelationJoin
from windrow.plan.patterns import Pattern

BLOCKS = st.sampled_from([1, 3, lookups.BLOCK])
KINDS = st.sampled_from(["inner", "left"])


def lookup(left: Pattern, keys: Keys, condition: str | None, kind: str = "inner") -> RelationJoin:
    on = None if condition is None else sql(condition)
    left_, right = received("L", LEFT, left), received("R", RIGHT, Pattern.STR)
    return RelationJoin(left_, right, keys, on, kind, retroactive=False)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=80)
@given(
    histories(LEFT, ROWS, LIVING),
    histories(RIGHT, ROWS, (Pattern.STR,)),
    CALLS,
    st.sampled_from(ON),
    KINDS,
    BLOCKS,
)
def test_a_tuple_keeps_the_rows_of_its_own_instant(
    left: History, right: History, calls: Sequence[Call], on: tuple[Keys, str | None], kind: str, block: int
) -> None:
    node = lookup(left.pattern, *on, kind)
    seen = "r.__begin < l.__begin AND l.__begin <= r.__end"
    live = "getvariable('now') BETWEEN l.__begin AND l.__end - 1"
    wanted = (
        f"SELECT l.* EXCLUDE (__begin, __end), r.* EXCLUDE (__begin, __end) FROM l_all l"
        f" {kind} JOIN r_all r ON {on_clause(*on)} AND {seen} WHERE {live}"
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lookups, "BLOCK", block)
        check(node, [left, right], wanted, calls, start=lambda: LookupJoinOperator(node))


def test_a_change_counts_for_tuples_that_are_newer() -> None:
    # row       2 ├────────┤ 4
    # tuples    2     3    4    5
    right = History(Pattern.STR, RIGHT, (Lifetime((1, "r", 0), 2, 4),))
    left = History(Pattern.MON, LEFT, tuple(Lifetime((1, f"{ts}", 0), ts) for ts in (2, 3, 4, 5)))
    start = lambda: LookupJoinOperator(lookup(Pattern.MON, (("a", "c"),), None))  # noqa: E731
    assert play(start, [left, right]).rows["b"].to_pylist() == ["3", "4"]


def test_results_end_when_their_tuples_do() -> None:
    right = History(Pattern.STR, RIGHT, (Lifetime((1, "r", 0), 0, 4),))
    left = History(Pattern.WK, LEFT, (Lifetime((1, "u", 0), 1, 9), Lifetime((1, "v", 0), 2, 3)))
    start = lambda: LookupJoinOperator(lookup(Pattern.WK, (("a", "c"),), None))  # noqa: E731
    said = play(start, [left, right])
    assert said.exp is not None
    assert (said.ts.tolist(), said.exp.tolist(), said.sign) == ([1, 2], [9, 3], None)


def row_changes(ts: int, sign: int, keys: Sequence[int]) -> Delta:
    rows = History(Pattern.STR, RIGHT, ()).table([(key, "r", 0) for key in keys])
    return Delta(100, rows, np.full(len(keys), ts), sign=np.full(len(keys), sign, np.int8))


def tuples(clock: int, keys: Sequence[int]) -> Delta:
    rows = History(Pattern.MON, LEFT, ()).table([(key, "u", 0) for key in keys])
    return Delta(clock, rows, np.full(len(keys), clock))


def test_nothing_is_kept_of_tuples_nor_of_rows_that_are_gone() -> None:
    operator = LookupJoinOperator(lookup(Pattern.MON, (("a", "c"),), None, "left"))
    operator.on_deltas([tuples(5, []), row_changes(1, 1, range(1000))])
    held = operator.nbytes
    for clock in range(6, 10):
        assert len(operator.on_deltas([tuples(clock, range(5000)), row_changes(1, 1, [])])) == 5000
    assert operator.nbytes == held
    operator.on_deltas([tuples(20, []), row_changes(10, -1, range(1000))])
    assert operator.nbytes < 20_000
    assert not operator.save()


def test_a_negative_tuple_that_cancels_none_is_an_error() -> None:
    operator = LookupJoinOperator(lookup(Pattern.MON, (("a", "c"),), None))
    with pytest.raises(ValueError, match="cancels none"):
        operator.on_deltas([tuples(5, []), row_changes(1, -1, [3])])
