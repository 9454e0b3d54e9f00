"""The oracle is DuckDB's join of the tuples that live at an instant."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.playing import CALLS, Call, History, Lifetime, check, histories, play, received
from tests.plan.samples import sql
from windrow.buffers import pairing
from windrow.delta import Delta, concat
from windrow.operators.join import JoinOperator
from windrow.plan.joins import Join, Keys
from windrow.plan.patterns import Pattern
from windrow.schema import Schema

LEFT = Schema.of(("a", "BIGINT"), ("b", "VARCHAR"), ("x", "INTEGER"))
RIGHT = Schema.of(("c", "BIGINT"), ("d", "VARCHAR"), ("y", "INTEGER"))
ROWS = st.tuples(st.sampled_from([None, 1, 1, 2, -3]), st.sampled_from([None, "u", "v"]), st.integers(0, 3))
BLOCKS = st.sampled_from([1, 3, pairing.BLOCK])
LIVING = (Pattern.MON, Pattern.WKS, Pattern.WK)

ON = [
    ((("a", "c"),), None),
    ((("a", "c"), ("b", "d")), None),
    ((("b", "d"), ("b", "d")), None),
    ((("b", "d"),), "x < y"),
    ((), "x BETWEEN y - 1 AND y + 1"),
    ((), "b = d OR a IS NULL"),
    ((), "y > 5"),
    ((("a", "c"),), "1 = 1"),
    ((), None),
]

PAIRS = """
    SELECT x, y, greatest(l.__ts, r.__ts) AS ts, least(l.__exp, r.__exp) AS exp
    FROM l JOIN r ON a = c AND greatest(l.__ts, r.__ts) < least(l.__exp, r.__exp)
    ORDER BY x, y
"""


def join(
    left: Pattern, right: Pattern, keys: Keys, condition: str | None, *, tells_ends: bool = False
) -> Join:
    on = None if condition is None else sql(condition)
    return Join(received("L", LEFT, left), received("R", RIGHT, right), keys, on, tells_ends=tells_ends)


def on_clause(keys: Keys, condition: str | None) -> str:
    return " AND ".join([f"{one} = {other}" for one, other in keys] + [f"({condition or 'true'})"])


@settings(deadline=None, max_examples=80)
@given(
    *(histories(LEFT, ROWS, LIVING), histories(RIGHT, ROWS, LIVING)),
    *(CALLS, st.sampled_from(ON), st.booleans(), BLOCKS),
)
def test_pairs_live_as_long_as_both_tuples_do(
    left: History,
    right: History,
    calls: Sequence[Call],
    on: tuple[Keys, str | None],
    tells_ends: bool,
    block: int,
) -> None:
    node = join(left.pattern, right.pattern, *on, tells_ends=tells_ends)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pairing, "BLOCK", block)
        check(node, [left, right], f"SELECT l.*, r.* FROM l JOIN r ON {on_clause(*on)}", calls)


def test_a_tuple_that_ends_at_an_instant_meets_none_that_begins_at_it() -> None:
    # left   1 ├────────┤ 5
    # right             5 ├────┤ 8
    left = History(Pattern.WKS, LEFT, (Lifetime((1, "u", 0), 1, 5),))
    right = History(Pattern.WKS, RIGHT, (Lifetime((1, "u", 0), 5, 8),))
    node = join(Pattern.WKS, Pattern.WKS, (("a", "c"),), None)
    assert len(play(lambda: JoinOperator(node), [left, right])) == 0


def test_tuples_of_one_instant_meet() -> None:
    left = History(Pattern.WKS, LEFT, (Lifetime((1, "u", 0), 1, 5),))
    right = History(Pattern.WK, RIGHT, (Lifetime((1, "v", 0), 1, 3), Lifetime((1, "w", 0), 1, 9)))
    said = play(lambda: JoinOperator(join(Pattern.WKS, Pattern.WK, (("a", "c"),), None)), [left, right])
    assert said.exp is not None
    assert list(zip(said.rows["d"].to_pylist(), said.ts.tolist(), said.exp.tolist(), strict=True)) == [
        ("v", 1, 3),
        ("w", 1, 5),
    ]


def many(chance: np.random.Generator, schema: Schema, count: int, keys: int, life: int) -> Delta:
    """Ten tuples an instant; `life` is how long they live at most."""
    columns = [
        pa.array(chance.integers(0, keys, count)),
        pa.array(np.full(count, "s")),
        pa.array(np.arange(count, dtype=np.int32)),
    ]
    ts = np.arange(count) // 10
    exp = ts + chance.integers(1, life + 1, count)
    return Delta(count // 10, pa.table(columns, schema=schema.arrow), ts, exp)


@pytest.mark.parametrize(("keys", "calls"), [(1, 1), (3, 40), (100, 7), (10_000, 3)])
def test_many_tuples_find_all_their_partners(keys: int, calls: int) -> None:
    chance = np.random.default_rng(keys)
    left, right = many(chance, LEFT, 3_000, keys, 50), many(chance, RIGHT, 2_500, keys, 100)
    operator = JoinOperator(join(Pattern.WK, Pattern.WK, (("a", "c"),), None))
    edges = np.linspace(0, 300, calls + 1).astype(int)
    given_ = concat(
        [
            operator.on_deltas(
                [each.take((start <= each.ts) & (each.ts < end)).at(end) for each in (left, right)]
            )
            for start, end in itertools.pairwise(edges)
        ]
    )
    assert (np.diff(given_.ts) >= 0).all()
    with duckdb.connect() as oracle:
        oracle.register("l", left.to_table())
        oracle.register("r", right.to_table())
        wanted = oracle.sql(PAIRS).to_arrow_table()
    got = pa.table([given_.rows["x"], given_.rows["y"], given_.ts, given_.exp], names=wanted.column_names)
    assert got.sort_by([("x", "ascending"), ("y", "ascending")]) == wanted


def test_memory_is_freed_when_windows_empty() -> None:
    chance = np.random.default_rng(0)
    node = join(Pattern.WK, Pattern.WKS, (("a", "c"),), None)
    operator = JoinOperator(node)
    operator.on_deltas([many(chance, LEFT, 5_000, 100, 1), many(chance, RIGHT, 5_000, 100, 1)])
    assert sum(len(part) for part in operator.save().values()) < 50
    operator.on_deltas([Delta.empty(1_000, LEFT.arrow), Delta.empty(1_000, RIGHT.arrow)])
    assert operator.nbytes < 100_000


def test_a_pair_for_which_the_condition_fails_does_not_match_and_is_told() -> None:
    node = join(Pattern.MON, Pattern.MON, (("a", "c"),), "CAST(b AS INTEGER) = y")
    left = History(Pattern.MON, LEFT, (Lifetime((1, "u", 0), 1), Lifetime((1, "7", 0), 2)))
    right = History(Pattern.MON, RIGHT, (Lifetime((1, "u", 7), 3),))
    operator = JoinOperator(node)
    given_ = operator.on_deltas([left.delta().at(5), right.delta().at(5)])
    assert given_.rows["b"].to_pylist() == ["7"]
    failures = operator.take_failures()
    assert failures is not None
    assert failures["input"].to_pylist() == ['{"b":"u","y":7}']
    assert failures["stream"].to_pylist() == ["L"]
    assert operator.take_failures() is None


def test_negative_tuples_are_refused() -> None:
    with pytest.raises(ValueError, match="negative tuples"):
        JoinOperator(join(Pattern.STR, Pattern.WKS, (("a", "c"),), None))
