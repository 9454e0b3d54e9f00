"""CREATE AGGREGATE checked: what the paper's examples come to, and what is refused with which words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from sqlglot import exp

from tests import esl
from windrow.aggregate_body import Action, Body
from windrow.catalog import Aggregate, Catalog
from windrow.errors import ParseError, Refused, StatementError, TypeMismatch, UnknownName
from windrow.language.define_aggregate import define_aggregate
from windrow.language.parser import parse


def defined(text: str, catalog: Catalog | None = None) -> Aggregate:
    (statement,) = parse(text)
    return define_aggregate(statement, catalog or Catalog())  # type: ignore[arg-type]


def told(body: Body | None) -> str:
    """A body to read: names are qualified, and casts are there."""
    assert body is not None
    lines = [f"{table.name}({_columns(table.schema)})" for table in body.tables]
    lines += [f"inwindow({_columns(body.window.schema)})"] if body.window else []
    for event, actions in body.events.items():
        lines.append(f"{event.value}:")
        lines += [f"  {line}" for action in actions for line in _told_of(action)]
    return "\n".join(lines)


def _columns(schema: object) -> str:
    return ", ".join(f"{field.name} {field.type}" for field in schema)  # type: ignore[attr-defined]


def _told_of(action: Action) -> Iterator[str]:
    yield f"{type(action).__name__} {action.table}{' older' if getattr(action, 'older', False) else ''}"
    for name, value in vars(action).items():
        if isinstance(value, exp.Expr):
            yield f"  {name} {sql(value)}"
        elif name == "rows":
            yield from (f"  ({', '.join(map(sql, row))})" for row in value)
        elif name == "columns":
            yield from (f"  {column} = {sql(to)}" for column, to in zip(value, action.values, strict=True))  # type: ignore[union-attr]


def sql(tree: exp.Expr) -> str:
    return tree.sql(dialect="duckdb").replace('"', "")


EXAMPLES = {
    esl.AVG: """
state(tsum FLOAT, cnt INTEGER)
INITIALIZE:
  InsertRows state
    (__tuple.Next, 1)
ITERATE:
  Update state
    tsum = state.tsum + __tuple.Next
    cnt = state.cnt + 1
TERMINATE:
  InsertQuery RETURN
    query SELECT state.tsum / state.cnt FROM state""",
    esl.DECAY_ONLINE_AVG: """
state(tsum FLOAT, cnt INTEGER)
INITIALIZE:
  InsertRows state
    (__tuple.Next, 1)
  InsertRows RETURN
    (__tuple.Next)
ITERATE:
  Update state
    tsum = 0.9 * state.tsum + 1.1 * __tuple.Next
    cnt = state.cnt + 1
  InsertQuery RETURN
    query SELECT state.tsum / state.cnt FROM state""",
    esl.CUM_AVG: """
state(tsum FLOAT, cnt INTEGER)
INITIALIZE:
  InsertRows state
    (__tuple.Next, 1)
  InsertQuery RETURN
    query SELECT state.tsum / state.cnt FROM state
ITERATE:
  Update state
    tsum = state.tsum + __tuple.Next
    cnt = state.cnt + 1
  InsertQuery RETURN
    query SELECT state.tsum / state.cnt FROM state
TERMINATE:""",
    esl.NAIVE_AVG: """
inwindow(wnext FLOAT)
INITIALIZE:
  InsertQuery RETURN
    query SELECT CAST(AVG(inwindow.wnext) AS REAL) FROM inwindow
ITERATE:
  InsertQuery RETURN
    query SELECT CAST(AVG(inwindow.wnext) AS REAL) FROM inwindow""",
    esl.MYAVG: """
state(tsum INTEGER, cnt FLOAT)
inwindow(wnext FLOAT)
INITIALIZE:
  InsertRows state
    (CAST(__tuple.Next AS INT), CAST(1 AS REAL))
  InsertRows RETURN
    (__tuple.Next)
ITERATE:
  Update state
    tsum = CAST(state.tsum + __tuple.Next AS INT)
    cnt = state.cnt + 1
  InsertQuery RETURN
    query SELECT state.tsum / state.cnt FROM state
EXPIRE:
  Update state
    cnt = state.cnt - 1
    tsum = CAST(state.tsum - __oldest.wnext AS INT)""",
    esl.WINDOW_MAX: """
inwindow(wnext FLOAT)
INITIALIZE:
  InsertRows RETURN
    (__tuple.Next)
ITERATE:
  Delete inwindow older
    condition inwindow.wnext <= __tuple.Next
  InsertRows RETURN
    (__oldest.wnext)
EXPIRE:""",
    esl.ACTIVE_MAX: """
inwindow(wnext FLOAT)
INITIALIZE:
  InsertRows RETURN
    (__tuple.Next)
ITERATE:
  Delete inwindow older
    condition inwindow.wnext <= __tuple.Next
EXPIRE:
  InsertRows RETURN
    (__oldest.wnext)""",
    esl.ITEM_ALARM: """
inwindow(tid ANY, ttype ANY, ttime ANY)
INITIALIZE:
  Delete inwindow
    condition __tuple.tagtype = 'ap' AND inwindow.ttype = 'item'
  Delete inwindow
    condition __tuple.tagtype = 'item' AND inwindow.ttype = 'item'
      AND EXISTS(SELECT inwindow.tid FROM inwindow WHERE inwindow.ttype = 'ap')
ITERATE:
  Delete inwindow
    condition __tuple.tagtype = 'ap' AND inwindow.ttype = 'item'
  Delete inwindow
    condition __tuple.tagtype = 'item' AND inwindow.ttype = 'item'
      AND EXISTS(SELECT inwindow.tid FROM inwindow WHERE inwindow.ttype = 'ap')
EXPIRE:
  InsertRows RETURN
    ('larceny alarm')
    condition __tuple.tagtype = 'item'
      AND NOT EXISTS(SELECT inwindow.tid FROM inwindow WHERE inwindow.ttype = 'ap')""",
    esl.ITEM_GROUPS: """
last(ltime TIMESTAMP, groupno INTEGER)
INITIALIZE:
  InsertRows last
    (__tuple.tagtime, 1)
  InsertRows RETURN
    (__tuple.tagid, 1)
ITERATE:
  Update last
    groupno = last.groupno + 1
    condition __tuple.tagtime - last.ltime > INTERVAL '2' SECONDS
  Update last
    ltime = __tuple.tagtime
  InsertQuery RETURN
    query SELECT __tuple.tagid, last.groupno FROM last""",
}


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: " ".join(text.split("(")[0].split()))
def test_the_examples_of_the_paper(text: str) -> None:
    assert told(defined(text).body).split() == EXAMPLES[text].split()


def test_an_aggregate_blocks_iff_it_terminates() -> None:
    blocking = {text: defined(text).blocking for text in EXAMPLES}
    assert [text for text, blocks in blocking.items() if blocks] == [esl.AVG]


@pytest.mark.parametrize(
    ("text", "window", "algebraic", "types", "result"),
    [
        (esl.AVG, False, False, ["FLOAT"], "FLOAT"),
        (esl.ACTIVE_MAX, True, True, ["FLOAT"], "FLOAT"),
        (esl.ITEM_ALARM, True, False, ["ANY", "ANY", "ANY"], "VARCHAR"),
        (esl.ITEM_GROUPS, False, False, ["VARCHAR", "TIMESTAMP"], "STRUCT(tagid VARCHAR, groupno INTEGER)"),
        (esl.FREQUENT_ITEMS, True, False, ["INTEGER"], "BIGINT"),
        (esl.SAMPLE, True, False, ["INTEGER", "DOUBLE"], "INTEGER"),
    ],
)
def test_the_heads_of_examples(
    text: str, window: bool, algebraic: bool, types: list[str], result: str
) -> None:
    found = defined(text)
    assert (found.window, found.algebraic, found.type) == (window, algebraic, result)
    assert [field.type for field in found.parameters] == types
    assert found.sql == text.strip()


def test_open_types_are_filled_in_by_a_call() -> None:
    (statement,) = parse(esl.ITEM_ALARM)
    found = define_aggregate(statement, Catalog(), ["BIGINT", "VARCHAR", "TIMESTAMP"])  # type: ignore[arg-type]
    assert told(found.body).startswith("inwindow(tid BIGINT, ttype VARCHAR, ttime TIMESTAMP)\n")
    with pytest.raises(TypeMismatch) as caught:
        define_aggregate(statement, Catalog(), ["BIGINT", "INTEGER[]", "DATE"])  # type: ignore[arg-type]
    assert caught.value.message == "'ap' cannot be read as INTEGER[]"


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


def test_the_window_version_calls_the_base_version(catalog: Catalog) -> None:
    catalog.add(defined(esl.AVG))
    found = defined(esl.NAIVE_AVG, catalog)
    assert found.body is not None
    assert {name: each.window for name, each in found.body.calls.items()} == {"avg": False}
    assert "SELECT AVG(inwindow.wnext) FROM inwindow" in told(found.body)


def test_both_versions_stand_under_one_name(catalog: Catalog) -> None:
    catalog.add(defined(esl.ACTIVE_MAX))
    catalog.add(defined(esl.AVG))
    catalog.add(defined(esl.NAIVE_AVG, catalog))
    assert [each.window for each in catalog.aggregates["avg"]] == [False, True]
    assert catalog.aggregate("MAX") is None
    assert catalog.aggregate("Max", window=True) is not None
    catalog.drop_aggregate(catalog.aggregates["avg"][1])
    assert [each.window for each in catalog.aggregates["avg"]] == [False]
    catalog.drop_aggregate(catalog.aggregates["avg"][0])
    assert "avg" not in catalog.aggregates


RETURNS = "INSERT INTO RETURN VALUES (1)"


def base(iterate: str = RETURNS, initialize: str = "", more: str = "TABLE t(a int, b varchar);") -> str:
    return (
        f"CREATE AGGREGATE f(x int, y varchar) : int {{ {more}"
        f" INITIALIZE: {{ {initialize} }} ITERATE: {{ {iterate} }} TERMINATE: {{ {RETURNS} }} }}"
    )


def window(iterate: str, more: str = "TABLE inwindow(v, w);") -> str:
    return base(iterate, more=more).replace("AGGREGATE", "WINDOW AGGREGATE")


REFUSALS = [
    # The head.
    (
        "CREATE AGGREGATE f(x int, X int) : int { }",
        Refused,
        "there are two columns 'X'",
        "X",
        "case makes no difference: rename one",
    ),
    (
        "CREATE AGGREGATE f(x integr) : int { }",
        UnknownName,
        "there is no type 'integr'",
        "integr",
        "did you mean INTEGER?",
    ),
    (
        "CREATE AGGREGATE f(x int) : strng { }",
        UnknownName,
        "there is no type 'strng'",
        "strng",
        "did you mean STRING?",
    ),
    (
        "CREATE AGGREGATE f(x int) : (a int, b) { }",
        Refused,
        "column b of what it returns has no type",
        "b",
        "write b and a type, as in INTEGER",
    ),
    ("CREATE AGGREGATE f(x int) : () { }", Refused, "f returns no column", "f", "write a type behind ':'"),
    (
        "CREATE AGGREGATE f(x int) { }",
        ParseError,
        "expected ':' and the type that it returns, found '{'",
        "{",
        None,
    ),
    (
        "CREATE AGGREGATE f(x int) : { }",
        ParseError,
        "expected the type that it returns, found '{'",
        "{",
        None,
    ),
    (
        "CREATE AGGREGATE f(x int) : int",
        ParseError,
        "expected '{' and what it does, or LANGUAGE PYTHON AS 'module:Class',"
        " found the end of the statement",
        "",
        None,
    ),
    (
        "CREATE AGGREGATE upper(x int) : int { }",
        Refused,
        "upper is a function of single values already",
        "upper",
        "give it another name",
    ),
    (
        "CREATE AGGREGATE oldest() : int { }",
        Refused,
        "oldest is a function of single values already",
        "oldest",
        "give it another name",
    ),
    (
        "CREATE ALGEBRAIC AGGREGATE f(x int) : (a int, b int) { }",
        Refused,
        "ALGEBRAIC feeds results back in, and f takes 1 value and returns 2",
        "f",
        "return as many values as it takes, or leave ALGEBRAIC out",
    ),
    (
        "CREATE ALGEBRAIC AGGREGATE f(x int) : date { }",
        TypeMismatch,
        "ALGEBRAIC feeds results back in, and x is INTEGER, while DATE is returned",
        "f",
        "return the types that it takes, or leave ALGEBRAIC out",
    ),
    # The events.
    (
        "CREATE AGGREGATE f(x int) : int { ITERATE: { } }",
        Refused,
        "f does not say what to do at INITIALIZE",
        "}",
        "write INITIALIZE: { } if there is nothing to do",
    ),
    (
        "CREATE AGGREGATE f(x int) : int { INITIALIZE: { } }",
        Refused,
        "f does not say what to do at ITERATE",
        "}",
        "write ITERATE: { } if there is nothing to do",
    ),
    (
        "CREATE AGGREGATE f(x int) : int { INITIALIZE: ITERATE: { } }",
        Refused,
        "f never returns anything",
        "}",
        "write INSERT INTO RETURN where its result is known",
    ),
    (
        "CREATE AGGREGATE f(x int) : int { ITERATE: ITERATE: { } }",
        ParseError,
        "ITERATE stands here a second time",
        "ITERATE",
        "leave one out",
    ),
    (
        "CREATE AGGREGATE f(x int) : int { ITERATE: { } INITIALIZE: ITERATE: { } }",
        ParseError,
        "ITERATE stands here a second time",
        "ITERATE",
        "leave one out",
    ),
    (
        "CREATE AGGREGATE f(x int) : int { ITERAT: { } }",
        ParseError,
        "expected TABLE, INITIALIZE, ITERATE, TERMINATE, EXPIRE or '}', found 'ITERAT'",
        "ITERAT",
        "did you mean ITERATE?",
    ),
    ("CREATE AGGREGATE f(x int) : int { ITERATE { } }", ParseError, "expected ':', found '{'", "{", None),
    (
        "CREATE AGGREGATE f(x int) : int { { } }",
        ParseError,
        "expected the event that this is for, found '{'",
        "{",
        "write INITIALIZE: or the like before it",
    ),
    (
        "CREATE AGGREGATE f(x int) : int { ITERATE: { }",
        ParseError,
        "expected TABLE, INITIALIZE, ITERATE, TERMINATE, EXPIRE or '}', found the end of the statement",
        "",
        None,
    ),
    (
        base().replace("TERMINATE", "EXPIRE"),
        Refused,
        "tuples expire in windows, and f is no WINDOW AGGREGATE",
        "EXPIRE",
        "write CREATE WINDOW AGGREGATE",
    ),
    # Tables.
    (
        base(more="TABLE t(a);"),
        Refused,
        "column a of t has no type",
        "a",
        "write a and a type, as in INTEGER",
    ),
    (
        base(more="TABLE t(a int, A int);"),
        Refused,
        "there are two columns 'A'",
        "A",
        "case makes no difference: rename one",
    ),
    (
        base(more="TABLE t(a int); TABLE T(a int);"),
        Refused,
        "there are two tables 'T'",
        "T",
        "case makes no difference: rename one",
    ),
    (
        base(more="TABLE return(a int);"),
        Refused,
        "RETURN is there by itself",
        "return",
        "its columns stand behind the ':'",
    ),
    (
        base(more="TABLE inwindow(v, w);"),
        Refused,
        "inwindow is of windows, and f is no WINDOW AGGREGATE",
        "inwindow",
        "write CREATE WINDOW AGGREGATE, or give the table another name",
    ),
    (
        window("", "TABLE inwindow(v);"),
        Refused,
        "inwindow has 1 column, and f takes 2 arguments",
        "inwindow",
        "give it a column for each argument, in their order",
    ),
    (
        window("", "TABLE inwindow(v int, w int);"),
        TypeMismatch,
        "inwindow holds the arguments, and w is INTEGER while y is VARCHAR",
        "w",
        "declare w as VARCHAR, or without a type",
    ),
    # Names.
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
    (base("INSERT INTO t SET a = 1"), ParseError, "expected VALUES or SELECT, found 'SET'", "SET", None),
    # Python.
    (
        "CREATE AGGREGATE f(x int) : int LANGUAGE PYTHON AS 'Median'",
        ParseError,
        "'Median' names no class",
        "'Median'",
        "write 'module:Class', as in 'stats:Median'",
    ),
    (
        "CREATE AGGREGATE f(x int) : int LANGUAGE JAVA AS 'a:B'",
        ParseError,
        "expected PYTHON, found 'JAVA'",
        "JAVA",
        None,
    ),
    (
        "CREATE AGGREGATE f(x int) : int LANGUAGE PYTHON AS 'no_such:B'",
        Refused,
        "module no_such cannot be imported: No module named 'no_such'",
        "'no_such:B'",
        "it has to be on Python's path, for every worker",
    ),
    (
        "CREATE AGGREGATE f(x int) : int LANGUAGE PYTHON AS 'fractions:B'",
        Refused,
        "module fractions has no class B",
        "'fractions:B'",
        "write 'module:Class'",
    ),
    (
        "CREATE AGGREGATE f(x int) : int LANGUAGE PYTHON AS 'fractions:Fraction'",
        Refused,
        "the class Fraction has no method initialize",
        "'fractions:Fraction'",
        "define initialize(self, …) with an argument for each of the aggregate's",
    ),
]


@pytest.mark.parametrize(("text", "kind", "message", "under", "hint"), REFUSALS)
def test_what_is_refused(
    text: str,
    kind: type[StatementError],
    message: str,
    under: str,
    hint: str | None,
    fails: Callable[[str], tuple[type[StatementError], str, str, str | None]],
) -> None:
    assert fails(text) == (kind, message, under, hint)


def test_a_second_definition_is_refused(
    run: Callable[[str], None], fails: Callable[[str], tuple[type[StatementError], str, str, str | None]]
) -> None:
    run(esl.AVG)
    run(esl.NAIVE_AVG)
    assert fails(esl.AVG) == (
        Refused,
        "there is an aggregate avg already",
        "avg",
        "drop it first: DROP AGGREGATE avg",
    )
    assert fails(esl.NAIVE_AVG)[1:] == (
        "there is a window aggregate avg already",
        "avg",
        "drop it first: DROP WINDOW AGGREGATE avg",
    )


def test_calls_of_other_aggregates_are_checked(
    run: Callable[[str], None], fails: Callable[[str], tuple[type[StatementError], str, str, str | None]]
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
