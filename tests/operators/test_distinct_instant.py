"""The oracle is DuckDB's DISTINCT over all tuples at once; the stream comes cut into pieces."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plan.samples import COLUMNS, STREAMS, delta, scan
from windrow.delta import Delta
from windrow.operators.distinct_instant import DistinctInstantOperator
from windrow.plan.exchange import Received
from windrow.plan.nodes import DistinctInstant
from windrow.plan.patterns import Pattern

NODE = DistinctInstant(scan("X"))


def pieces(whole: Delta, cuts: list[int]) -> list[Delta]:
    """A stream in calls: each clock is that of its last tuple, so ties may follow in the next."""
    edges = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
    parts = [whole.take(np.arange(start, end)) for start, end in pairwise(edges)]
    return [part.at(int(part.ts[-1])) for part in parts]


@settings(deadline=None)
@given(STREAMS, st.lists(st.integers(1, 11), max_size=4), st.booleans())
def test_gives_each_tuple_of_an_instant_once(whole: Delta, cuts: list[int], restarts: bool) -> None:
    operator = DistinctInstantOperator(NODE)
    given_ = []
    for piece in pieces(whole, cuts):
        given_.append(operator.on_deltas([piece]))
        if restarts:
            state, operator = operator.save(), DistinctInstantOperator(NODE)
            if state:
                operator.restore(state)
    got = [tuple(row.values()) for each in given_ for row in each.rows.to_pylist()]
    with duckdb.connect() as oracle:
        wanted = oracle.from_arrow(whole.rows).distinct().fetchall()
    assert sorted(got, key=repr) == sorted(wanted, key=repr)
    instants = [instant for each in given_ for instant in each.ts.tolist()]
    assert instants == sorted(instants)


def test_the_first_of_equal_tuples_stays_with_its_lifetime_and_sign() -> None:
    # ts:               1              2              2              2
    rows = delta([(1, 1, "u", 1), (1, 1, "u", 2), (1, 2, "u", 2), (1, 1, "u", 2)])
    ending = replace(rows, exp=np.array([7, 8, 9, 8]), sign=np.ones(4, np.int8))
    given_ = DistinctInstantOperator(NODE).on_deltas([ending])
    assert given_.exp is not None
    assert given_.sign is not None
    assert (given_.ts.tolist(), given_.exp.tolist(), given_.sign.tolist()) == (
        [1, 2, 2],
        [7, 8, 9],
        [1, 1, 1],
    )


def test_input_with_negative_tuples_is_refused() -> None:
    strict = Received("exchange0", COLUMNS, Pattern.STR, None, ("X",))
    with pytest.raises(ValueError, match="negative tuples"):
        DistinctInstantOperator(DistinctInstant(strict))


def test_an_instant_that_is_over_is_forgotten() -> None:
    operator = DistinctInstantOperator(NODE)
    operator.on_deltas([delta([(1, 1, "u", 5)]).at(5)])
    assert operator.save()
    operator.on_deltas([delta([]).at(6)])
    assert not operator.save()


def test_an_empty_input_keeps_an_instant_that_is_not_over() -> None:
    operator = DistinctInstantOperator(NODE)
    operator.on_deltas([delta([(1, 1, "u", 5)]).at(5)])
    operator.on_deltas([delta([]).at(5)])
    assert len(operator.on_deltas([delta([(1, 1, "u", 5)]).at(5)])) == 0
