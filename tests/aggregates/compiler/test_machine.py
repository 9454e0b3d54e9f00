"""Compiled code does what the interpreter does, for definitions and steps by chance."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, event, given, reject, settings
from hypothesis import strategies as st

from tests.aggregates.compiler.bodies import bodies
from tests.aggregates.user_defined.playing import defined, played
from tests.aggregates.user_defined.playing import given as rows_of
from windrow.aggregates.compiler.machine import Compiled
from windrow.aggregates.compiler.module import compiled
from windrow.aggregates.user_defined.choose import machine_for, obstacle
from windrow.aggregates.user_defined.interpreter import Interpreter
from windrow.aggregates.user_defined.machine import Machine
from windrow.catalog import Aggregate
from windrow.errors import StatementError

VALUES = st.tuples(
    st.sampled_from([None, -3, 0, 2, 2**31 - 1]),
    st.sampled_from([None, -0.5, 0.0, 2.5, float("nan"), float("inf"), 1e300]),
    st.sampled_from([None, "", "a", "b"]),
)
Told = tuple[Any, ...] | str


@st.composite
def steps(draw: st.DrawFn) -> list[list[Told]]:
    """Calls of steps that can be: what expires has arrived before."""
    there = {0: 0, 1: 0}
    calls: list[list[Told]] = [[]]
    for _ in range(draw(st.integers(5, 25))):
        group = draw(st.integers(0, 1))
        kind = draw(st.sampled_from("+++--!0|"))
        if kind == "|":
            calls.append([])
        elif kind == "+":
            there[group] += 1
            calls[-1].append((f"+{group}", *draw(VALUES)))
        elif kind == "-" and there[group]:
            there[group] -= 1
            calls[-1].append(f"-{group}")
        elif kind == "!":
            calls[-1].append(f"!{group}")
        elif kind == "0" and draw(st.integers(0, 5)) == 0:
            there[group] = 0
            calls[-1].append(f"0{group}")
    return [call for call in calls if call]


def check(text: str, calls: list[list[Told]], *, swaps: bool) -> None:
    """Both machines do the same; with `swaps` they change places between calls, by what they save."""
    try:
        aggregate = defined(text)
    except StatementError:  # a constant by chance that has no value
        reject()
    event(obstacle(aggregate) or "compiled")
    assume(obstacle(aggregate) is None)
    one, other = machines(aggregate)
    for call in calls:
        came, expected = (played(machine, aggregate, *call) for machine in (one, other))
        assert repr(rows_of(came)) == repr(rows_of(expected)), text
        assert came.failed.tolist() == expected.failed.tolist(), text
        assert came.ended.tolist() == expected.ended.tolist(), text
        if swaps:
            states = one.save(), other.save()
            one, other = machines(aggregate)
            one.restore(states[1])
            other.restore(states[0])


def machines(aggregate: Aggregate) -> tuple[Machine, Machine]:
    return Compiled(aggregate, compiled(aggregate)), Interpreter(aggregate, machine_for)


SEARCHED = """CREATE WINDOW AGGREGATE chance(p INT, q DOUBLE, s VARCHAR) : (i BIGINT, d DOUBLE, v VARCHAR) {
    TABLE rows(k BIGINT, y DOUBLE, z VARCHAR);
    TABLE words(w VARCHAR, n INT);
    TABLE inwindow(w INT, u DOUBLE, o VARCHAR);
    INITIALIZE: ITERATE: {
        INSERT INTO rows VALUES (p, q, s), (p % 2, q, 'x');
        INSERT INTO words VALUES (s, 0) WHERE NOT EXISTS (SELECT * FROM words WHERE w = s);
        UPDATE words SET n = n + 1 WHERE w = s AND n < 100;
        UPDATE rows SET y = y + 1 WHERE p = k AND y > 0;
        DELETE FROM rows WHERE (k = p AND z = 'b');
        INSERT INTO rows SELECT k, y, z FROM rows WHERE k = 2 AND (SELECT count(*) FROM rows) < 9;
        INSERT INTO RETURN SELECT k, y, z FROM rows WHERE k = p;
        INSERT INTO RETURN SELECT k, y, z FROM rows WHERE k = NULL
    }
    EXPIRE: { DELETE FROM rows WHERE oldest().w = k; DELETE FROM words WHERE w = oldest().o }
    TERMINATE: {
        INSERT INTO RETURN SELECT n, NULL, w FROM words;
        INSERT INTO RETURN SELECT count(*), sum(y), any_value(z) FROM rows WHERE k = 0
    }
}"""


@settings(deadline=None, max_examples=20, suppress_health_check=list(HealthCheck))
@given(steps(), st.booleans())
def test_tables_are_searched_by_their_index(calls: list[list[Told]], swaps: bool) -> None:
    tables = {table.name: table.searched for table in compiled(defined(SEARCHED)).tables}
    assert tables == {"rows": 0, "words": 0, "inwindow": None}
    check(SEARCHED, calls, swaps=swaps)


def test_an_index_grows_and_forgets() -> None:
    aggregate = defined("""CREATE AGGREGATE seen(x BIGINT) : BIGINT {
        TABLE t(k BIGINT, n BIGINT);
        INITIALIZE: ITERATE: {
            INSERT INTO t VALUES (x, 0) WHERE NOT EXISTS (SELECT * FROM t WHERE k = x);
            UPDATE t SET n = n + 1 WHERE k = x;
            INSERT INTO RETURN SELECT n FROM t WHERE k = x;
            DELETE FROM t WHERE k = x AND n = 3
        }
    }""")
    values = [(place * 7919) % 1500 * 10**15 for place in range(12_000)]
    machine, _ = machines(aggregate)
    came = rows_of(played(machine, aggregate, *(("+0", value) for value in values)))
    assert [count for _, count in came] == [place // 1500 % 3 + 1 for place in range(12_000)]


@settings(deadline=None, max_examples=2, suppress_health_check=list(HealthCheck))
@given(bodies(), st.lists(steps(), min_size=3, max_size=3), st.booleans())
def test_compiled_and_interpreted_are_equal(text: str, plays: list[list[list[Told]]], swaps: bool) -> None:
    for calls in plays:
        check(text, calls, swaps=swaps)


@pytest.mark.slow
@pytest.mark.timeout(600)
@settings(deadline=None, max_examples=40, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))
@given(bodies(), st.lists(steps(), min_size=3, max_size=3), st.booleans())
def test_compiled_and_interpreted_are_equal_in_many_cases(
    text: str, plays: list[list[list[Told]]], swaps: bool
) -> None:
    for calls in plays:
        check(text, calls, swaps=swaps)
