"""The actions of an aggregate: names, types and misuse, and queries over its tables."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests import esl
from tests.language.bodies import base, defined, told, window
from tests.language.conftest import Failure
from windrow.errors import ParseError, Refused, StatementError, TypeMismatch, UnknownName


def test_queries_in_a_body() -> None:
    body = """
    AGGREGATE f(x int, y varchar) : (a int, b varchar) {
        TABLE t(a int, b varchar); TABLE u(a int, c double);
        INITIALIZE: ITERATE: {
            INSERT INTO t (b) SELECT upper(y);
            INSERT INTO u SELECT a, count(*) FROM t WHERE b ≠ y GROUP BY a HAVING count(*) ≥ 2;
            UPDATE t SET a = (SELECT max(u.a) FROM u WHERE c > x) WHERE b IN (SELECT b FROM t AS v);
            DELETE FROM u WHERE a = ANY (SELECT a FROM t) OR NOT EXISTS (SELECT * FROM t WHERE t.a = u.a);
            INSERT INTO RETURN (b, a) SELECT DISTINCT y, k
                FROM (SELECT a AS k FROM t UNION SELECT a FROM u) AS z ORDER BY k LIMIT 3
        }
    }"""
    expected = """t(a INTEGER, b VARCHAR)
u(a INTEGER, c DOUBLE)
INITIALIZE:
  InsertQuery t
    query SELECT CAST(NULL AS INT), UPPER(__tuple.y)
  InsertQuery u
    query SELECT t.a, CAST(COUNT(*) AS DOUBLE) FROM t
      WHERE t.b <> __tuple.y GROUP BY t.a HAVING COUNT(*) >= 2
  Update t
    a = (SELECT MAX(u.a) FROM u WHERE u.c > __tuple.x)
    condition t.b IN (SELECT v.b FROM t AS v)
  Delete u
    condition u.a = ANY (SELECT t.a FROM t) OR NOT EXISTS(SELECT t.a, t.b FROM t WHERE t.a = u.a)
  InsertQuery RETURN
    query SELECT __given.k, __given.y
      FROM (SELECT DISTINCT __tuple.y, z.k
      FROM (SELECT t.a AS k FROM t UNION SELECT u.a FROM u) AS z ORDER BY z.k LIMIT 3) AS __given(y, k)
"""
    assert told(defined(body).body).split("ITERATE:")[0].split() == expected.split()


REFUSALS = [
    (base("DELETE FROM tt"), UnknownName, "f has no table 'tt'", "tt", "did you mean t?"),
    (base("INSERT INTO RETURN SELECT a FROM s"), UnknownName, "f has no table 's'", "s", "tables are: t"),
    (base("UPDATE t SET c = 1"), UnknownName, "t has no column 'c'", "c", "columns are: a, b"),
    (base("UPDATE t SET a = 1, a = 2"), Refused, "column a is named twice", "a", "name each column once"),
    (
        base("INSERT INTO t (a, c) VALUES (1, 2)"),
        UnknownName,
        "t has no column 'c'",
        "c",
        "columns are: a, b",
    ),
    (
        base("INSERT INTO RETURN VALUES (z)"),
        UnknownName,
        "there is no column or argument 'z'",
        "z",
        "names are: x, y",
    ),
    (
        base("UPDATE t SET a = xx"),
        UnknownName,
        "there is no column or argument 'xx'",
        "xx",
        "did you mean x?",
    ),
    (
        base("INSERT INTO RETURN SELECT t.c FROM t"),
        UnknownName,
        "t has no column 'c'",
        "c",
        "columns are: a, b",
    ),
    (
        base("INSERT INTO RETURN SELECT a FROM t, t AS u"),
        UnknownName,
        "column 'a' could be t.a or u.a",
        "a",
        "write the one that you mean with its table's name",
    ),
    (
        base("INSERT INTO RETURN VALUES (foo(x))"),
        UnknownName,
        "there is no function 'foo'",
        "foo(x)",
        "did you mean floor?",
    ),
    (
        base("INSERT INTO RETURN SELECT f(a, b) FROM t"),
        Refused,
        "f calls itself",
        "f(a, b)",
        "an aggregate cannot be recursive",
    ),
    # Types and numbers of values.
    (base("INSERT INTO t VALUES (1)"), Refused, "1 value for 2 columns of t", "1", "the columns are a, b"),
    (
        base("INSERT INTO t SELECT 1, 2, 3"),
        Refused,
        "3 values for 2 columns of t",
        "SELECT 1, 2, 3",
        "the columns are a, b",
    ),
    (
        base("INSERT INTO RETURN VALUES (1, 2)"),
        Refused,
        "2 values for 1 column of RETURN",
        "2",
        "give one value",
    ),
    (
        base("INSERT INTO t VALUES ('one', 'x')"),
        TypeMismatch,
        "'one' cannot be read as INTEGER",
        "'one'",
        "write a value of that type",
    ),
    (
        base("INSERT INTO t VALUES ([1], 'x')"),
        TypeMismatch,
        "t.a is INTEGER, and this is INTEGER[]",
        "1",
        "an explicit CAST may help",
    ),
    (
        base("INSERT INTO RETURN VALUES (DATE '2026-01-01')"),
        TypeMismatch,
        "RETURN is INTEGER, and this is DATE",
        "'2026-01-01'",
        "an explicit CAST may help",
    ),
    (
        base("INSERT INTO t SELECT [a], b FROM t"),
        TypeMismatch,
        "t.a is INTEGER, and this is INTEGER[]",
        "SELECT [a], b FROM t",
        "an explicit CAST may help",
    ),
    (
        base("UPDATE t SET a = DATE '2026-01-01'"),
        TypeMismatch,
        "t.a is INTEGER, and this is DATE",
        "'2026-01-01'",
        "an explicit CAST may help",
    ),
    (
        base("UPDATE t SET b = b + DATE '2026-01-01'"),
        TypeMismatch,
        "nothing computes +(VARCHAR, DATE)",
        "b + DATE '2026-01-01'",
        "an explicit CAST may help",
    ),
    (
        base("DELETE FROM t WHERE a"),
        TypeMismatch,
        "WHERE needs a BOOLEAN, and this is INTEGER",
        "a",
        "compare it with something",
    ),
    (
        base("INSERT INTO RETURN SELECT a, FROM t WHERE a = 'one'"),
        TypeMismatch,
        "'one' cannot be read as INTEGER",
        "'one'",
        "write a value of that type",
    ),
    # Misuse.
    (
        base("INSERT INTO RETURN SELECT * FROM RETURN"),
        Refused,
        "RETURN takes results and cannot be read or changed",
        "RETURN",
        "keep what is needed later in a table of its own",
    ),
    (
        base("DELETE FROM return"),
        Refused,
        "RETURN takes results and cannot be read or changed",
        "return",
        "keep what is needed later in a table of its own",
    ),
    (
        window("INSERT INTO inwindow VALUES (x, y)"),
        Refused,
        "the system fills inwindow, and nobody else",
        "inwindow",
        "tuples can be deleted from it; keep anything else in a table of its own",
    ),
    (
        window("UPDATE inwindow SET v = 1"),
        Refused,
        "the system changes inwindow, and nobody else",
        "inwindow",
        "tuples can be deleted from it; keep anything else in a table of its own",
    ),
    (
        base("INSERT INTO RETURN VALUES (oldest())"),
        Refused,
        "oldest() is of a window, and f is no WINDOW AGGREGATE",
        "oldest()",
        "write CREATE WINDOW AGGREGATE, with a TABLE inwindow",
    ),
    (
        window("INSERT INTO RETURN VALUES (oldest().v)", ""),
        Refused,
        "oldest() is of inwindow, and f declares no such table",
        "oldest()",
        "declare TABLE inwindow with a column for each argument",
    ),
    (
        window("INSERT INTO RETURN VALUES (oldest())"),
        Refused,
        "oldest() has 2 columns, and one is needed here",
        "oldest()",
        "write oldest().v or the like",
    ),
    (
        window("INSERT INTO RETURN VALUES (oldest().vv)"),
        UnknownName,
        "inwindow has no column 'vv'",
        "vv",
        "did you mean v?",
    ),
    (
        window("").replace("VALUES (1)", "VALUES (oldest().v)"),
        Refused,
        "oldest() has no meaning in TERMINATE",
        "oldest()",
        "use it in ITERATE or EXPIRE",
    ),
    (
        base().replace("VALUES (1)", "VALUES (x)"),
        Refused,
        "x has no value in TERMINATE, when all tuples have come",
        "x",
        "keep what is needed then in a table",
    ),
    (
        base("INSERT INTO RETURN VALUES (max(x))"),
        Refused,
        "an aggregate needs the rows of a query",
        "max(x)",
        "write (SELECT … FROM a table)",
    ),
    (
        base("UPDATE t SET a = row_number() OVER ()"),
        Refused,
        "an aggregate needs the rows of a query",
        "row_number()",
        "write (SELECT … FROM a table)",
    ),
    (
        base("INSERT INTO RETURN VALUES (random())"),
        Refused,
        "random() gives another value each time, so a replay would give other answers",
        "random()",
        "for the time, use the stream's timestamp column",
    ),
    (
        base("INSERT INTO RETURN SELECT a FROM t WHERE max(a) > 1"),
        TypeMismatch,
        "WHERE clause cannot contain aggregates",
        "SELECT a FROM t WHERE max(a) > 1",
        "an explicit CAST may help",
    ),
    (
        base("INSERT INTO RETURN WITH s AS (SELECT 1) SELECT * FROM s"),
        Refused,
        "a query in an aggregate cannot have WITH",
        "WITH",
        "put the inner query into FROM",
    ),
    (
        base("INSERT INTO RETURN SELECT t.a FROM t JOIN t AS u USING (a)"),
        Refused,
        "tables are joined with ON here",
        "t AS u USING (a)",
        "write JOIN … ON a = b",
    ),
    (
        base("INSERT INTO RETURN SELECT * EXCLUDE (a) FROM t"),
        Refused,
        "* stands only by itself in a SELECT list",
        "* EXCLUDE (a)",
        "name the columns",
    ),
    (
        base("INSERT INTO RETURN SELECT range FROM range(3)"),
        Refused,
        "FROM names tables of the aggregate, or queries in parentheses",
        "range(3)",
        "declare a TABLE for what is to be kept",
    ),
    (
        base("INSERT INTO t SELECT 1, 'x' UNION SELECT 1"),
        Refused,
        "one side has 2 columns, and this has 1",
        "SELECT 1",
        "give each the same number of columns",
    ),
    # Syntax.
    (
        base("SELECT 1"),
        ParseError,
        "expected INSERT, UPDATE or DELETE, found 'SELECT'",
        "SELECT",
        "did you mean DELETE?",
    ),
    (
        base("INSERT INTO t VALUES (1, 'x') DELETE FROM t"),
        ParseError,
        "unexpected 'DELETE'",
        "DELETE",
        "statements are separated by ;",
    ),
    (base("UPDATE t SET a = 1 b = 2"), ParseError, "unexpected '='", "=", None),
    (base("UPDATE t SET a = "), ParseError, "expected an expression, found '}'", "}", None),
    (base("UPDATE t a = 1"), ParseError, "expected SET, found 'a'", "a", None),
    (base("DELETE FROM t WHERE a = 1, 2"), ParseError, "expected one expression", "a = 1, 2", None),
    (base("DELETE FROM t WHERE a FROM t"), ParseError, "expected an expression", "a FROM t", None),
    (base("DELETE FROM t WHERE WHERE a > 1"), ParseError, "unexpected 'WHERE'", "WHERE", None),
    (base("DELETE FROM t WHERE USING SAMPLE 3"), ParseError, "unexpected 'USING'", "USING", None),
    (base("DELETE FROM t WHERE HAVING a IN (SELECT 1)"), ParseError, "unexpected 'HAVING'", "HAVING", None),
    (base("INSERT INTO t SET a = 1"), ParseError, "expected VALUES or SELECT, found 'SET'", "SET", None),
]


@pytest.mark.parametrize(("text", "kind", "message", "under", "hint"), REFUSALS)
def test_what_is_refused(
    text: str,
    kind: type[StatementError],
    message: str,
    under: str,
    hint: str | None,
    fails: Callable[[str], Failure],
) -> None:
    assert fails(text) == (kind, message, under, hint)


def test_calls_of_other_aggregates_are_checked(
    run: Callable[[str], None], fails: Callable[[str], Failure]
) -> None:
    run(esl.AVG.replace(" avg", " mine"))
    run(esl.ITEM_GROUPS)
    calling = base("INSERT INTO RETURN SELECT {} FROM t")
    assert fails(calling.replace("{}", "mine(a, 1)"))[1:] == (
        "mine takes 1 argument, and is given 2",
        "mine(a, 1)",
        "its arguments are Next",
    )
    assert fails(calling.replace("{}", "item_groups(b, NULL)"))[1:] == (
        "item_groups returns 2 columns, and one is needed here",
        "item_groups(b, NULL)",
        "call an aggregate that returns one value",
    )
    assert fails(calling.replace("{}", "mine([a])"))[1:] == (
        "argument Next of mine is FLOAT, and this is INTEGER[]",
        "mine([a])",
        "an explicit CAST may help",
    )
    assert fails(calling.replace("{}", "mine(DISTINCT a)"))[1:] == (
        "mine is called with plain arguments here",
        "mine(DISTINCT a)",
        "choose and order rows in a query in FROM",
    )
    run(calling.replace("{}", "mine(a + 0.5) FILTER (WHERE b > 'x')"))
