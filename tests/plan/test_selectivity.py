"""What share of tuples a predicate is true of."""

from __future__ import annotations

import pytest

from tests.plan.samples import sql
from windrow.plan.selectivity import RARE, UNKNOWN, fixed, selectivity

VALUES = {"a": 10.0, "b": 4.0, "flag": 2.0}


@pytest.mark.parametrize(
    ("predicate", "share"),
    [
        ("a = 1", 0.1),
        ("a <> 1", 0.9),
        ("a = b", 0.1),
        ("A = 1 AND b = 2", 0.025),
        ("b = 1 OR b = 2", 1 - 0.75 * 0.75),
        ("NOT (b = 1)", 0.75),
        ("a IN (1, 2, 3)", 0.3),
        ("flag IN (1, 2, 3)", 1.0),
        ("a IS NULL", RARE),
        ("a > 1", UNKNOWN),
        ("s LIKE 'x%'", UNKNOWN),
        ("a % 4 = 0", 0.25),
        ("a % 40 = 0", 0.1),
        ("(a > 3) = true", 0.5),
        ("true", 1.0),
        ("false", 0.0),
    ],
)
def test_share(predicate: str, share: float) -> None:
    assert selectivity(sql(predicate), VALUES) == pytest.approx(share)


def test_an_equality_leaves_one_value() -> None:
    assert fixed(sql("a = 1 AND (B = 2 AND flag > 0)")) == {"a", "b"}
    assert fixed(sql("a = b OR flag = 1")) == frozenset()
