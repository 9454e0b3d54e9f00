"""The oracle is DuckDB's EXISTS over the tuples that live at an instant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.playing import CALLS, Call, History, Lifetime, check, histories, play, received
from tests.operators.test_join import LEFT, RIGHT, ROWS, on_clause
from tests.operators.test_signed_join import A, C, said
from tests.plan.samples import sql
from windrow import delta
from windrow.buffers.parts import within
from windrow.delta import Delta
from windrow.kernels import timers
from windrow.operators import covered
from windrow.operators.conditional_half_join import ConditionalHalfJoinOperator
from windrow.operators.covered import CoveredOperator
from windrow.operators.half_join import HalfJoinOperator
from windrow.operators.joining import negation_operator, semi_join_operator
from windrow.plan.joins import Keys, Negation, SemiJoin
from windrow.plan.patterns import Pattern
from windrow.schema import Schema

MON, WKS, WK, STR = Pattern
KEYS: list[Keys] = [(), (("a", "c"),), (("a", "c"),), (("a", "c"), ("b", "d"))]
SIZES = st.sampled_from([1, 2, 256])


@settings(deadline=None, max_examples=80)
@given(
    histories(LEFT, ROWS, (MON, WKS, WKS), size=14),
    histories(RIGHT, ROWS, (MON, WKS, WK), size=14),
    CALLS,
    st.sampled_from(KEYS),
    st.sampled_from([Negation, SemiJoin]),
    SIZES,
)
def test_a_left_row_is_there_while_its_key_is_covered_or_is_not(
    left: History,
    right: History,
    calls: Sequence[Call],
    keys: Keys,
    kind: type[Negation | SemiJoin],
    room: int,
) -> None:
    node = kind(received("L", LEFT, left.pattern), received("R", RIGHT, right.pattern), keys, None)
    wanted = (
        f"FROM l WHERE {'NOT' if kind is Negation else ''} EXISTS (FROM r WHERE {on_clause(keys, None)})"
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(covered, "_FEWEST", room)
        patched.setattr(covered, "_BLOCK", room)
        check(node, [left, right], wanted, calls, start=lambda: CoveredOperator(node))


def nodes(kind: type[Negation | SemiJoin] = Negation, left: Pattern = WKS, right: Pattern = WKS) -> Any:
    return kind(received("L", A, left), received("R", C, right), (("a", "c"),), None)


def test_which_operator_runs_what() -> None:
    assert isinstance(negation_operator(nodes()), CoveredOperator)
    assert isinstance(semi_join_operator(nodes(SemiJoin, MON, WK)), CoveredOperator)
    assert isinstance(negation_operator(nodes(left=WK)), HalfJoinOperator)
    assert isinstance(negation_operator(nodes(right=STR)), HalfJoinOperator)
    not_in = Negation(*nodes().inputs, (("a", "c"),), None, null_aware=True)
    assert isinstance(negation_operator(not_in), HalfJoinOperator)
    with_condition = Negation(*nodes().inputs, (), sql("a < c"))
    assert isinstance(negation_operator(with_condition), ConditionalHalfJoinOperator)


def test_a_cover_that_is_renewed_at_its_end_does_not_end() -> None:
    # left   1 ├── 7 ─────────────────┤ 9
    # right      2 ├── 7 ─┤ 4
    #                     4 ├── 7 ─┤ 6
    left = History(WKS, A, (Lifetime((7, "u"), 1, 9),))
    right = History(WKS, C, (Lifetime((7,), 2, 4), Lifetime((7,), 4, 6)))
    told = said(play(lambda: CoveredOperator(nodes()), [left, right]))
    assert told == [(1, 1, 7, "u"), (2, -1, 7, "u"), (6, 1, 7, "u"), (9, -1, 7, "u")]


def rows_of(count: int, begin: int, end: int) -> Delta:
    table = pa.table({"a": pa.array(range(count), pa.int64()), "b": ["u"] * count})
    return Delta(begin, table, np.full(count, begin), np.full(count, end))


def partners(count: int, begin: int, end: int) -> Delta:
    table = pa.table({"c": pa.array(range(count), pa.int64())})
    return Delta(begin, table, np.full(count, begin), np.full(count, end))


def nothing(schema: Schema, clock: int) -> Delta:
    return Delta.empty(clock, schema.arrow)


def test_left_rows_are_not_kept_that_cannot_turn_any_more() -> None:
    operator = CoveredOperator(nodes())
    operator.on_deltas([rows_of(5000, 1, 10), nothing(C, 1)])
    kept = operator.nbytes
    given_ = operator.on_deltas([nothing(A, 2), partners(5000, 2, 11)])
    assert len(given_) == 5000
    assert within("rows", operator.save()).keys() == {"gone"}
    assert operator.nbytes < kept


def test_nothing_is_kept_of_what_has_ended() -> None:
    operator = CoveredOperator(nodes())
    operator.on_deltas([rows_of(5000, 1, 10), partners(5000, 1, 3)])
    assert len(operator.on_deltas([nothing(A, 20), nothing(C, 20)])) == 10_000
    assert operator.nbytes == 0
    assert not operator.save()


def test_it_goes_on_with_few_keys_after_many() -> None:
    before, after = CoveredOperator(nodes()), CoveredOperator(nodes())
    before.on_deltas([rows_of(5000, 1, 4), partners(5000, 1, 3)])
    before.on_deltas([rows_of(10, 5, 100), nothing(C, 5)])
    after.restore(before.save())
    told = after.on_deltas([nothing(A, 8), partners(10, 6, 7).at(8)])
    assert told.ts.tolist() == [6] * 10 + [7] * 10


def test_the_first_instant_and_the_last_are_those_of_deltas() -> None:
    assert (timers.BEGINNING, timers.NEVER) == (delta.BEGINNING, delta.NEVER)
