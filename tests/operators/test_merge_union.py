"""The reference merges tuple by tuple, in plain Python."""

from __future__ import annotations

import heapq
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plan.samples import STREAMS, delta, project, scan
from windrow.delta import NEVER, Delta
from windrow.operators.merge_union import MergeUnion
from windrow.plan.nodes import Union

SIGNED = st.builds(
    lambda given_, signed: replace(given_, sign=np.full(len(given_), -1, np.int8)) if signed else given_,
    STREAMS,
    st.booleans(),
)


def union(count: int) -> MergeUnion:
    return MergeUnion(Union(tuple(scan(f"S{place}") for place in range(count))))


def tuples(given_: Delta) -> list[tuple[int, int, dict[str, object]]]:
    sign = np.ones(len(given_), np.int8) if given_.sign is None else given_.sign
    return list(zip(given_.ts.tolist(), sign.tolist(), given_.rows.to_pylist(), strict=True))


@settings(deadline=None)
@given(st.lists(SIGNED, min_size=2, max_size=4))
def test_merges_by_time_and_then_by_the_order_of_the_inputs(inputs: list[Delta]) -> None:
    merged = union(len(inputs)).on_deltas(inputs)
    assert tuples(merged) == list(heapq.merge(*map(tuples, inputs), key=lambda each: each[0]))
    assert merged.clock == inputs[0].clock


def test_lifetimes_and_signs_that_go_without_saying_are_said_beside_others() -> None:
    plain = delta([(1, 1, "u", 1)])
    ending = replace(plain, exp=np.array([5]), sign=np.array([-1], np.int8))
    merged = union(2).on_deltas([plain, ending])
    assert merged.exp is not None
    assert merged.sign is not None
    assert (merged.exp.tolist(), merged.sign.tolist()) == ([NEVER, 5], [1, -1])


def test_names_are_those_of_the_first_input() -> None:
    left, right = project(scan("X"), ("a", "n", "BIGINT")), project(scan("Y"), ("a", "m", "BIGINT"))
    one = delta([(1, 1, "u", 1)])
    inputs = [replace(one, rows=one.rows.select(["a"]).rename_columns([name])) for name in "nm"]
    merged = MergeUnion(Union((left, right))).on_deltas(inputs)
    assert merged.rows.to_pydict() == {"n": [1, 1]}
