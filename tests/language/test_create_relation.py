"""CREATE TABLE and CREATE NRR: columns, and the primary key in one place or the other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.catalog import Catalog, Relation
from windrow.errors import ParseError, Refused, StatementError, TypeMismatch, UnknownName
from windrow.language.define import check_drop, define
from windrow.language.parser import parse
from windrow.language.statements import CreateRelation, Drop
from windrow.schema import Schema

TABLES = "CREATE TABLE Item (id INT); CREATE NRR Company (symbol VARCHAR);\n"

FAILURES = [
    (
        "CREATE TABLE",
        ParseError,
        "expected the name of the table, found the end of the statement",
        "",
        None,
    ),
    ("CREATE NRR", ParseError, "expected the name of the NRR, found the end of the statement", "", None),
    ("CREATE TABLE t", ParseError, "expected '(', found the end of the statement", "", None),
    ("CREATE TABLE t (a)", ParseError, "column a has no type", "a", "write a and a type, as in INTEGER"),
    (
        "CREATE TABLE t (a int PRIMARY KEY, b int PRIMARY KEY)",
        ParseError,
        "PRIMARY KEY stands here a second time",
        "PRIMARY KEY",
        "a key of several columns is written PRIMARY KEY (a, b)",
    ),
    (
        "CREATE TABLE t (a int NOT NULL)",
        Refused,
        "the columns of a table take no constraint but PRIMARY KEY",
        "NOT",
        "leave it out",
    ),
    (
        "CREATE TABLE t (a int) AS SELECT 1",
        ParseError,
        "expected ';' or the end of the statement, found 'AS'",
        "AS",
        "declare the columns, and fill it with INSERT INTO … SELECT",
    ),
    (
        "CREATE TABLE t (PRIMARY KEY (a))",
        Refused,
        "t is a table without a column",
        "t",
        "declare one before its key",
    ),
    (
        "CREATE TABLE t (a int, PRIMARY KEY (b))",
        UnknownName,
        "there is no column 'b'",
        "b",
        "columns are: a",
    ),
    (
        "CREATE NRR t (a int, b int, PRIMARY KEY (b, B))",
        Refused,
        "there are two columns 'B'",
        "B",
        "case makes no difference: rename one",
    ),
    (
        "CREATE TABLE t (a int, A int)",
        Refused,
        "there are two columns 'A'",
        "A",
        "case makes no difference: rename one",
    ),
    (
        "CREATE TABLE t (a intt)",
        UnknownName,
        "there is no type 'intt'",
        "intt",
        "did you mean INT?",
    ),
    (
        "CREATE TABLE t (a int b)",
        TypeMismatch,
        "'int b' is not a type",
        "int b",
        "types are those of DuckDB, as INTEGER or VARCHAR",
    ),
    (
        "CREATE TABLE t (rowid int)",
        Refused,
        "the system numbers the rows of a table in rowid",
        "rowid",
        "give the column another name",
    ),
    (
        "CREATE TABLE __t (a int)",
        Refused,
        "'__t' begins with two underscores, as only the system's own names do",
        "__t",
        "give it another name",
    ),
    (
        'CREATE NRR "a.b" (a int)',
        Refused,
        "the name of an NRR cannot have a dot, as 'a.b' has",
        '"a.b"',
        "write it with an underscore",
    ),
    (
        "CREATE TABLE bid (a int)",
        Refused,
        "there is a stream Bid already",
        "bid",
        "drop it first: DROP STREAM Bid",
    ),
    (
        "CREATE STREAM item (a int)",
        Refused,
        "there is a table Item already",
        "item",
        "drop it first: DROP TABLE Item",
    ),
    (
        "CREATE TABLE IF NOT EXISTS company (a int)",
        Refused,
        "there is an NRR Company already",
        "company",
        "drop it first: DROP NRR Company",
    ),
]


@pytest.mark.parametrize(("text", "kind", "message", "under", "hint"), FAILURES)
def test_refuses(
    fails: Callable[[str], object],
    text: str,
    kind: type[StatementError],
    message: str,
    under: str,
    hint: str | None,
) -> None:
    assert fails(TABLES + text) == (kind, message, under, hint)


def defined(text: str) -> Relation:
    (statement,) = parse(text)
    assert isinstance(statement, CreateRelation)
    relation = define(statement, Catalog())
    assert isinstance(relation, Relation)
    return relation


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ("(a int, b varchar)", ()),
        ("(a int PRIMARY KEY, b varchar)", ("a",)),
        ("(a int, b varchar primary  key)", ("b",)),
        ("(a int, b varchar, PRIMARY KEY (B))", ("b",)),
        ("(PRIMARY KEY (b, a), a int, b varchar)", ("a", "b")),
    ],
)
def test_a_key_stands_behind_its_column_or_by_itself(columns: str, key: tuple[str, ...]) -> None:
    relation = defined(f"CREATE TABLE t {columns}")
    assert relation.schema == Schema.of(("a", "INTEGER"), ("b", "VARCHAR"))
    assert relation.key == key


def test_a_table_is_retroactive_and_an_nrr_is_not() -> None:
    assert defined("CREATE TABLE t (a int)").retroactive
    assert not defined("CREATE NRR t (a int)").retroactive


def test_what_is_there_can_be_passed_over(catalog: Catalog) -> None:
    first, second = parse("CREATE TABLE t (a int); CREATE TABLE IF NOT EXISTS T (b int)")
    assert isinstance(first, CreateRelation)
    assert isinstance(second, CreateRelation)
    there = define(first, catalog)
    catalog.add(there)
    assert define(second, catalog) is there


def drops(text: str, catalog: Catalog) -> bool:
    (statement,) = parse(text)
    assert isinstance(statement, Drop)
    return check_drop(statement, catalog, {"q": "SELECT id FROM Item"})


def test_a_table_in_use_is_not_dropped(run: Callable[[str], None], catalog: Catalog) -> None:
    run(TABLES)
    assert drops("DROP NRR company", catalog)
    assert not drops("DROP TABLE IF EXISTS Company", catalog)
    with pytest.raises(Refused) as refused:
        drops("DROP TABLE Item", catalog)
    assert refused.value.message == "Item is in use by q"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("DROP TABLE Itm", "there is no table 'Itm'", "did you mean Item?"),
        ("DROP NRR x", "there is no NRR 'x'", "NRRs are: Company"),
        ("DROP TABLE company", "there is no table 'company'", "Company is an NRR: DROP NRR Company"),
        ("DROP STREAM item", "there is no stream 'item'", "Item is a table: DROP TABLE Item"),
    ],
)
def test_only_what_is_there_is_dropped(
    run: Callable[[str], None], catalog: Catalog, text: str, message: str, hint: str
) -> None:
    run(TABLES)
    with pytest.raises(UnknownName) as refused:
        drops(text, catalog)
    assert (refused.value.message, refused.value.hint) == (message, hint)
