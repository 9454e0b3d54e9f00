"""The oracle is DuckDB's EXISTS and IN over the tuples that live at an instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.playing import CALLS, Call, History, Lifetime, check, histories, play, received
from tests.operators.test_join import LEFT, ON, RIGHT, ROWS, on_clause
from tests.operators.test_signed_join import A, C, said, signed
from tests.plan.samples import sql
from windrow.delta import Delta
from windrow.operators import half_join, signed_pairs
from windrow.operators.conditional_half_join import ConditionalHalfJoinOperator
from windrow.operators.half_join import HalfJoinOperator
from windrow.operators.joining import negation_operator
from windrow.plan.joins import Keys, Negation, SemiJoin
from windrow.plan.patterns import Pattern
from windrow.schema import Schema

On = tuple[Keys, str | None]
BLOCKS = st.sampled_from([1, 3, half_join.BLOCK])


@settings(deadline=None, max_examples=50)
@given(histories(LEFT, ROWS), histories(RIGHT, ROWS), CALLS, st.sampled_from(ON), st.booleans(), BLOCKS)
def test_a_left_row_is_there_while_it_has_a_partner_or_has_none(
    left: History,
    right: History,
    calls: Sequence[Call],
    on: tuple[Keys, str | None],
    alone: bool,
    block: int,
) -> None:
    keys, condition = on
    kind = Negation if alone else SemiJoin
    edges = received("L", LEFT, left.pattern), received("R", RIGHT, right.pattern)
    node = kind(*edges, keys, None if condition is None else sql(condition))
    operator = HalfJoinOperator if condition is None else ConditionalHalfJoinOperator
    wanted = f"FROM l WHERE {'NOT' if alone else ''} EXISTS (FROM r WHERE {on_clause(*on)})"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(half_join, "BLOCK", block)
        patched.setattr(signed_pairs, "BLOCK", block)
        check(node, [left, right], wanted, calls, start=partial(operator, node))


NOT_IN: list[On] = [
    ((("a", "c"),), None),
    ((("b", "d"),), None),
    ((("a", "c"), ("b", "d")), None),
    ((("b", "d"),), "x < y"),
    ((("b", "d"), ("a", "c")), "x <> y"),
]


@settings(deadline=None, max_examples=50)
@given(histories(LEFT, ROWS), histories(RIGHT, ROWS), CALLS, st.sampled_from(NOT_IN), BLOCKS)
def test_not_in_is_unknown_where_a_null_is_compared(
    left: History, right: History, calls: Sequence[Call], on: On, block: int
) -> None:
    keys, condition = on
    edges = received("L", LEFT, left.pattern), received("R", RIGHT, right.pattern)
    node = Negation(*edges, keys, None if condition is None else sql(condition), null_aware=True)
    (own, other), *correlated = keys
    wanted = (
        f"FROM l WHERE {own} NOT IN (SELECT {other} FROM r WHERE {on_clause(tuple(correlated), condition)})"
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(half_join, "BLOCK", block)
        patched.setattr(signed_pairs, "BLOCK", block)
        check(node, [left, right], wanted, calls, start=partial(negation_operator, node))


def test_a_result_of_negation_ends_when_a_partner_comes_or_its_tuple_ends() -> None:
    # left   1 ├── 7 ──────────────────┤ 9
    #           2 ├── 8 ───────────────────┤ 10
    # right            3 ├── 7 ─┤ 5
    node = Negation(received("L", A, Pattern.WKS), received("R", C, Pattern.WKS), (("a", "c"),), None)
    left = History(Pattern.WKS, A, (Lifetime((7, "u"), 1, 9), Lifetime((8, "v"), 2, 10)))
    right = History(Pattern.WKS, C, (Lifetime((7,), 3, 5),))
    assert said(play(partial(HalfJoinOperator, node), [left, right])) == [
        (1, 1, 7, "u"),
        (2, 1, 8, "v"),
        (3, -1, 7, "u"),
        (5, 1, 7, "u"),
        (9, -1, 7, "u"),
        (10, -1, 8, "v"),
    ]


@pytest.mark.parametrize("pattern", [Pattern.WKS, Pattern.STR])
def test_whether_there_is_any_row_at_all_needs_no_columns(pattern: Pattern) -> None:
    empty = Schema(())
    node = Negation(received("L", A, Pattern.WKS), received("R", empty, pattern), (), None)
    left = History(Pattern.WKS, A, (Lifetime((7, "u"), 1, 9),))
    any_row = pa.table({"a": [1, 2]}).select([])
    right = Delta(9, any_row, np.array([3, 5]), sign=np.array([1, -1], np.int8))
    if pattern is Pattern.WKS:
        right = Delta(9, any_row.slice(0, 1), np.array([3]), np.array([5]))
    given_ = HalfJoinOperator(node).on_deltas([left.delta().at(9), right])
    assert said(given_) == [(1, 1, 7, "u"), (3, -1, 7, "u"), (5, 1, 7, "u"), (9, -1, 7, "u")]


def test_nothing_is_kept_of_what_has_ended() -> None:
    node = Negation(
        received("L", A, Pattern.STR), received("R", C, Pattern.WKS), (("a", "c"),), None, null_aware=True
    )
    operator = HalfJoinOperator(node)
    rows = [(key, "u") for key in range(1000)]
    left = signed(A, *((1, 1, row) for row in rows), *((2, -1, row) for row in rows))
    right = replace(signed(C, *((1, 1, (key,)) for key in range(1000))), sign=None, exp=np.full(1000, 50))
    operator.on_deltas([left, right])
    assert operator.nbytes < 20_000
    assert not operator.save()
