"""The oracle is DuckDB's join of the tuples that live at an instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.playing import CALLS, Call, History, Row, check, histories, received
from tests.operators.test_join import LEFT, ON, RIGHT, ROWS, on_clause
from tests.plan.samples import sql
from windrow.delta import Delta
from windrow.operators import signed_pairs
from windrow.operators.signed_join import SignedJoinOperator
from windrow.plan.joins import Join, Keys
from windrow.plan.patterns import Pattern
from windrow.schema import Schema

A = Schema.of(("a", "BIGINT"), ("b", "VARCHAR"))
C = Schema.of(("c", "BIGINT"))
BLOCKS = st.sampled_from([1, 3, signed_pairs.BLOCK])

KINDS = st.sampled_from(["inner", "left", "right", "full"])


@settings(deadline=None, max_examples=60)
@given(histories(LEFT, ROWS), histories(RIGHT, ROWS), CALLS, st.sampled_from(ON), KINDS, BLOCKS)
def test_pairs_and_loners_come_and_go_as_their_tuples_do(
    left: History, right: History, calls: Sequence[Call], on: tuple[Keys, str | None], kind: str, block: int
) -> None:
    keys, condition = on
    node = Join(
        received("L", LEFT, left.pattern),
        received("R", RIGHT, right.pattern),
        keys,
        None if condition is None else sql(condition),
        kind,
    )
    wanted = f"SELECT l.*, r.* FROM l {kind} JOIN r ON {on_clause(*on)}"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(signed_pairs, "BLOCK", block)
        check(
            node, [left, right], wanted, calls, start=lambda: SignedJoinOperator(node), pattern=Pattern.STR
        )


def signed(schema: Schema, *told: tuple[int, int, Row]) -> Delta:
    """Tuples as (ts, sign, row)."""
    rows = History(Pattern.STR, schema, ()).table([row for *_, row in told])
    ts, signs = np.array([ts for ts, *_ in told]), np.array([sign for _, sign, _ in told], np.int8)
    return Delta(100, rows, ts, sign=signs)


def said(given_: Delta) -> list[tuple[object, ...]]:
    assert given_.sign is not None
    columns = given_.rows.to_pydict().values()
    return list(zip(given_.ts.tolist(), given_.sign.tolist(), *columns, strict=True))


def test_a_negative_tuple_takes_back_what_its_positive_one_gave() -> None:
    node = Join(received("L", A, Pattern.STR), received("R", C, Pattern.STR), (("a", "c"),), None)
    left = signed(A, (1, 1, (7, "u")), (4, -1, (7, "u")))
    right = signed(C, (2, 1, (7,)), (3, 1, (7,)))
    assert said(SignedJoinOperator(node).on_deltas([left, right])) == [
        (2, 1, 7, "u", 7),
        (3, 1, 7, "u", 7),
        (4, -1, 7, "u", 7),
        (4, -1, 7, "u", 7),
    ]


def test_a_tuple_without_a_partner_stands_alone_until_one_comes() -> None:
    node = Join(received("L", A, Pattern.STR), received("R", C, Pattern.STR), (("a", "c"),), None, "left")
    left = signed(A, (1, 1, (7, "u")), (2, 1, (None, "v")))
    right = signed(C, (3, 1, (7,)), (5, -1, (7,)))
    assert said(SignedJoinOperator(node).on_deltas([left, right])) == [
        (1, 1, 7, "u", None),
        (2, 1, None, "v", None),
        (3, 1, 7, "u", 7),
        (3, -1, 7, "u", None),
        (5, -1, 7, "u", 7),
        (5, 1, 7, "u", None),
    ]


def test_a_negative_tuple_that_cancels_none_is_an_error() -> None:
    node = Join(received("L", A, Pattern.STR), received("R", C, Pattern.STR), (("a", "c"),), None)
    operator = SignedJoinOperator(node)
    with pytest.raises(ValueError, match="cancels none"):
        operator.on_deltas([signed(A, (1, -1, (7, "u"))), signed(C)])


def test_nothing_is_kept_of_what_has_ended() -> None:
    node = Join(received("L", A, Pattern.STR), received("R", C, Pattern.WKS), (("a", "c"),), None, "full")
    operator = SignedJoinOperator(node)
    left = signed(
        A, *((1, 1, (key, "u")) for key in range(1000)), *((2, -1, (key, "u")) for key in range(1000))
    )
    right = replace(signed(C, *((1, 1, (key,)) for key in range(1000))), sign=None, exp=np.full(1000, 50))
    operator.on_deltas([left, right])
    assert operator.nbytes < 20_000
    assert not [part for part in operator.save() if part.startswith(("left", "right"))]
