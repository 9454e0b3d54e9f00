"""Which versions of aggregates of the user's own serve which frames, as plans show."""

from __future__ import annotations

import pytest

from tests.operators.test_group_by_user_defined import ENDS, TOTAL, WINDOW_TOTAL
from windrow.aggregates.user_defined.calls import versions_of
from windrow.catalog import Catalog
from windrow.language.additive import sums_of
from windrow.language.binder import bind
from windrow.language.define import define
from windrow.language.define_aggregate import define_aggregate
from windrow.language.panes import of_panes
from windrow.language.parser import parse, parse_query
from windrow.plan.grouping import Over
from windrow.plan.nodes import walk

STREAM = "CREATE STREAM S (k INT, x INT, ts TIMESTAMP) ORDER BY ts"


def steps(frame: str, *aggregates: str, call: str = "total(x)") -> list[tuple[str, bool, int]]:
    """The frames of the steps, the lowest first: whether rows are told, and how many versions serve."""
    catalog = Catalog()
    (stream,) = parse(STREAM)
    catalog.add(define(stream, catalog))  # type: ignore[arg-type]
    for text in aggregates:
        catalog.add(define_aggregate(parse(text)[0], catalog))  # type: ignore[arg-type]
    plan = bind(parse_query(f"SELECT {call} OVER ({frame}) FROM S"), catalog)
    overs = [node for node in walk(plan) if isinstance(node, Over)]
    found = [(str(node.frame), node.own, len(versions_of(node.calls[0]))) for node in overs]
    return sorted(found, key=lambda step: "SLIDE" not in step[0])


ALGEBRAIC = TOTAL.replace("CREATE", "CREATE ALGEBRAIC").replace("x int", "x bigint")
PAIRS = ENDS.replace("CREATE", "CREATE ALGEBRAIC")


@pytest.mark.parametrize(
    ("frame", "aggregates", "expected"),
    [
        ("ROWS 5 PRECEDING", [TOTAL], [("ROWS 5 PRECEDING", False, 1)]),
        ("ROWS 5 PRECEDING", [TOTAL, WINDOW_TOTAL], [("ROWS 5 PRECEDING", True, 2)]),
        ("ROWS UNBOUNDED PRECEDING", [TOTAL, WINDOW_TOTAL], [("ROWS UNBOUNDED PRECEDING", False, 2)]),
        ("ROWS 1 PRECEDING SLIDE 4", [TOTAL, WINDOW_TOTAL], [("ROWS 1 PRECEDING SLIDE 4", False, 2)]),
        ("ROWS 5 PRECEDING SLIDE 2", [TOTAL, WINDOW_TOTAL], [("ROWS 5 PRECEDING SLIDE 2", True, 2)]),
        (
            "ROWS 5 PRECEDING SLIDE 2",
            [ALGEBRAIC, WINDOW_TOTAL.replace("int)", "bigint)")],
            [("ROWS 1 PRECEDING SLIDE 2", False, 1), ("ROWS 2 PRECEDING", True, 2)],
        ),
    ],
)
def test_versions_by_frame(
    frame: str, aggregates: list[str], expected: list[tuple[str, bool, int]]
) -> None:
    assert steps(frame, *aggregates) == expected


def test_panes_of_several_columns() -> None:
    found = steps("ROWS 5 PRECEDING SLIDE 2", PAIRS, call="ends(x, k)")
    assert found == [("ROWS 1 PRECEDING SLIDE 2", False, 1), ("ROWS 2 PRECEDING", False, 1)]


MEAN = """
CREATE ALGEBRAIC AGGREGATE mean(x double) : double {
    TABLE t(s double, n int);
    INITIALIZE: { INSERT INTO t VALUES (x, 1) }
    ITERATE: { UPDATE t SET s = s + x, n = 1 + n }
    TERMINATE: { INSERT INTO RETURN SELECT t.s / n FROM t }
}"""


def test_a_row_of_sums_goes_from_panes_to_the_whole() -> None:
    found = steps("ROWS 5 PRECEDING SLIDE 2", MEAN, call="mean(x)")
    assert found == [("ROWS 1 PRECEDING SLIDE 2", False, 1), ("ROWS 2 PRECEDING", True, 1)]


@pytest.mark.parametrize("type_", ["REAL", "INTEGER", "BIGINT", "HUGEINT"])
def test_sums_of_all_numbers_go_on(type_: str) -> None:
    (statement,) = parse(MEAN.replace("s double", f"s {type_}").replace("x double", "x INT"))
    shares = of_panes([define_aggregate(statement, Catalog())])  # type: ignore[arg-type]
    assert shares is not None
    (pane,), (whole,) = shares
    assert [field.type for field in pane.returns] == [field.type for field in whole.parameters]


@pytest.mark.parametrize(
    ("written", "otherwise"),
    [
        ("s = s + x", "s = s * x"),
        ("n int", "n DECIMAL(9, 2)"),
        ("s = s + x", "s = s + 2 * x"),
        ("s = s + x", "s = s + n"),
        ("n = 1 + n", "n = n + 1 WHERE x > 0"),
        ("s = s + x, n = 1 + n", "n = n + 1"),
        ("VALUES (x, 1)", "VALUES (x, 1), (x, 1)"),
        ("VALUES (x, 1)", "VALUES (x, 1) WHERE x > 0"),
        ("SELECT t.s / n FROM t", "SELECT (SELECT count(*) FROM t) FROM t"),
    ],
)
def test_what_is_no_sum_is_fed_in_again(written: str, otherwise: str) -> None:
    (statement,) = parse(MEAN.replace(written, otherwise))
    aggregate = define_aggregate(statement, Catalog())  # type: ignore[arg-type]
    assert aggregate.body is not None
    assert sums_of(aggregate.body) is None
    assert of_panes([aggregate]) == ((aggregate,), (aggregate,))
