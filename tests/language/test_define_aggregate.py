"""CREATE AGGREGATE checked: what the paper's examples come to, and what is refused with which words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests import esl
from tests.language.bodies import base, defined, told, window
from tests.language.conftest import Failure
from windrow.catalog import Catalog
from windrow.errors import ParseError, Refused, StatementError, TypeMismatch, UnknownName
from windrow.language.define_aggregate import define_aggregate
from windrow.language.parser import parse

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


def test_a_second_definition_is_refused(
    run: Callable[[str], None], fails: Callable[[str], Failure]
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
