"""Definitions carried out statement by statement; what is expected is written down by hand."""

from __future__ import annotations

import pytest

from tests import esl
from tests.aggregates.user_defined.playing import Given, defined, given, in_pieces, played
from windrow.aggregates.user_defined.choose import machine_for
from windrow.aggregates.user_defined.interpreter import Interpreter
from windrow.aggregates.user_defined.machine import Machine
from windrow.catalog import Aggregate


def interpreter(aggregate: Aggregate) -> Machine:
    return Interpreter(aggregate, machine_for)


def test_a_base_aggregate_answers_at_the_end() -> None:
    aggregate = defined(esl.AVG)
    steps = [("+0", 1.0), ("+7", 5.0), ("+0", 2.0), "!0", "!7", "!3", ("+0", 6.0), "!0"]
    assert given(played(interpreter(aggregate), aggregate, *steps)) == [(3, 1.5), (4, 5.0), (7, 3.0)]


def test_a_group_that_is_forgotten_begins_anew() -> None:
    aggregate = defined(esl.AVG)
    machine = interpreter(aggregate)
    returned = played(machine, aggregate, ("+0", 1.0), ("+1", 1.0), "00", "01", ("+0", 5.0), "!0", "!1")
    assert given(returned) == [(5, 5.0)]
    assert returned.ended.tolist() == [1]


def test_a_non_blocking_aggregate_answers_as_tuples_come() -> None:
    """(0.9 * 1 + 1.1 * 2) / 2, and so on."""
    aggregate = defined(esl.DECAY_ONLINE_AVG)
    came = given(
        played(interpreter(aggregate), aggregate, ("+0", 1.0), ("+0", 2.0), ("+1", 4.0), ("+0", 1.0))
    )
    assert [step for step, _ in came] == [0, 1, 2, 3]
    assert [value for _, value in came] == pytest.approx([1.0, 3.1 / 2, 4.0, (0.9 * 3.1 + 1.1) / 3])


def test_nobody_listens() -> None:
    aggregate = defined(esl.CUM_AVG)
    steps = [("+0", 1.0), ("(+0)", 2.0), ("+0", 6.0)]
    assert given(played(interpreter(aggregate), aggregate, *steps)) == [(0, 1.0), (2, 3.0)]


WINDOWS: dict[str, tuple[str, list[tuple[str, float] | str], Given]] = {
    # window:    1    1 2       2      2 6            6    -      8
    "average": (
        esl.MYAVG,
        [("+0", 1.0), ("+0", 2.0), "-0", ("+0", 6.0), "-0", "-0", ("+0", 8.0)],
        [(0, 1.0), (1, 1.5), (3, 4.0), (6, 8.0)],
    ),
    "naive average": (
        esl.NAIVE_AVG,
        [("+0", 1.0), ("+0", 2.0), "-0", ("+0", 6.0), "-0", "-0", ("+0", 8.0)],
        [(0, 1.0), (1, 1.5), (3, 4.0), (6, 8.0)],
    ),
    # window:    3    3 2       2      2 1      1     1 5
    "maximum": (
        esl.WINDOW_MAX,
        [("+0", 3.0), ("+0", 2.0), "-0", ("+0", 1.0), "-0", ("+0", 5.0)],
        [(0, 3.0), (1, 3.0), (3, 2.0), (5, 5.0)],
    ),
    "maximum that tells what leaves": (
        esl.ACTIVE_MAX,
        [("+0", 3.0), ("+0", 4.0), "-0", ("+0", 1.0), "-0", "-0"],
        [(0, 3.0), (4, 4.0), (5, 1.0)],
    ),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_windows(name: str) -> None:
    text, steps, expected = WINDOWS[name]
    aggregate = defined(text, esl.AVG)
    assert given(played(interpreter(aggregate), aggregate, *steps)) == expected
    assert in_pieces(lambda: interpreter(aggregate), aggregate, *steps) == expected


def test_a_window_that_is_empty_is_forgotten() -> None:
    aggregate = defined(esl.MYAVG)
    machine = interpreter(aggregate)
    assert played(machine, aggregate, ("+4", 1.0), ("+5", 1.0), "-4").ended.tolist() == [4]
    assert played(machine, aggregate, "-5", ("+5", 2.0)).ended.tolist() == []


def test_an_item_without_authorized_personnel_gives_an_alarm() -> None:
    """Of the window of group 0: i is an item, ap is authorized personnel.

    i1      expires alone            alarm
    i2 ap   ap comes after the item  none
    ap i3   the item comes after ap  none
    """
    aggregate = defined(esl.ITEM_ALARM, types=["VARCHAR", "VARCHAR", "TIMESTAMP"])
    steps = [
        *[("+0", "i1", "item", 0), "-0"],
        *[("+0", "i2", "item", 1), ("+0", "p", "ap", 2), "-0", "-0"],
        *[("+0", "p", "ap", 3), ("+0", "i3", "item", 4), "-0", "-0"],
        *[("+0", "p", "ap", 5), "-0", ("+0", "i4", "item", 6), ("+0", "i5", "item", 7), "-0", "-0"],
    ]
    came = given(played(interpreter(aggregate), aggregate, *steps))
    assert came == [(1, "larceny alarm"), (14, "larceny alarm"), (15, "larceny alarm")]


def test_several_columns_and_rows() -> None:
    aggregate = defined(
        """CREATE AGGREGATE f(x int) : (a int, b varchar) {
            TABLE t(a int);
            INITIALIZE: ITERATE: {
                INSERT INTO t VALUES (x), (x + 1);
                INSERT INTO RETURN (b, a) SELECT a || '!', a FROM t WHERE a ≥ 2;
            }
        }"""
    )
    came = given(played(interpreter(aggregate), aggregate, ("+0", 1), ("+1", 0), ("+0", 2)))
    assert came == [(0, (2, "2!")), (2, (2, "2!")), (2, (2, "2!")), (2, (3, "3!"))]


def test_values_are_computed_from_the_rows_as_they_were() -> None:
    aggregate = defined(
        """CREATE AGGREGATE f(x int) : int {
            TABLE t(a int, b int);
            INITIALIZE: { INSERT INTO t VALUES (x, 0), (x + 1, 0) }
            ITERATE: {
                UPDATE t SET a = b, b = a + (SELECT sum(a) FROM t);
                INSERT INTO RETURN SELECT a * 1000 + b FROM t;
            }
        }"""
    )
    came = given(played(interpreter(aggregate), aggregate, ("+0", 1), ("+0", 0), ("+0", 0)))
    assert came == [(1, 4), (1, 5), (2, 4000), (2, 5000)]


def test_an_action_that_fails_is_left_undone_with_those_behind_it() -> None:
    aggregate = defined(
        """CREATE AGGREGATE f(x int) : int {
            TABLE t(n int, total tinyint);
            INITIALIZE: { INSERT INTO t VALUES (1, x) }
            ITERATE: {
                UPDATE t SET n = n + 1;
                UPDATE t SET total = total + x;
                INSERT INTO RETURN SELECT n FROM t
            }
            TERMINATE: { INSERT INTO RETURN SELECT n * 1000 + total FROM t }
        }"""
    )
    returned = played(
        interpreter(aggregate), aggregate, ("+0", 100), ("+0", 10), ("+0", 20), ("+0", 1), "!0"
    )
    assert given(returned) == [(1, 2), (3, 4), (4, 4111)]
    assert returned.failed.tolist() == [2]
    (reason,) = returned.reasons
    assert "out of range" in reason


def test_aggregates_without_arguments() -> None:
    aggregate = defined(
        """CREATE WINDOW AGGREGATE tally() : bigint {
            TABLE inwindow();
            INITIALIZE: ITERATE: { INSERT INTO RETURN SELECT count(*) FROM inwindow }
        }"""
    )
    assert given(played(interpreter(aggregate), aggregate, ("+0",), ("+0",), "-0", ("+0",))) == [
        (0, 1),
        (1, 2),
        (3, 2),
    ]


def test_aggregates_that_call_others_over_groups() -> None:
    aggregate = defined(
        """CREATE AGGREGATE f(k int, v real) : (k int, mean real) {
            TABLE t(k int, v real);
            INITIALIZE: ITERATE: { INSERT INTO t VALUES (k, v) }
            TERMINATE: {
                INSERT INTO RETURN SELECT k, avg(v) FILTER (WHERE v > 0) FROM t GROUP BY k ORDER BY k
            }
        }""",
        esl.AVG,
    )
    steps = [("+0", 1, 1.0), ("+0", 2, 5.0), ("+0", 1, 2.0), ("+0", 1, -9.0), ("+0", 3, -1.0), "!0"]
    came = given(played(interpreter(aggregate), aggregate, *steps))
    assert came == [(5, (1, 1.5)), (5, (2, 5.0)), (5, (3, None))]
