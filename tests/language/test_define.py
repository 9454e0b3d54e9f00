"""CREATE STREAM checked against the catalog, and DROP against those who use what it drops."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.catalog import Catalog, DerivedStream, Stamping, Stream
from windrow.errors import Refused, StatementError, UnknownName
from windrow.language.define import check_drop, define, streams_named, users_of
from windrow.language.parser import parse, parse_query
from windrow.language.statements import CreateDerivedStream, CreateStream, Drop

FAILURES = [
    (
        "CREATE STREAM s (a integr)",
        UnknownName,
        "there is no type 'integr'",
        "integr",
        "did you mean INTEGER?",
    ),
    (
        "CREATE STREAM s (a foobarbaz)",
        UnknownName,
        "there is no type 'foobarbaz'",
        "foobarbaz",
        "types are those of DuckDB, as INTEGER or VARCHAR",
    ),
    (
        "CREATE STREAM s (a int, A int)",
        Refused,
        "there are two columns 'A'",
        "A",
        "case makes no difference: rename one",
    ),
    (
        "CREATE STREAM s (a int, __ts int)",
        Refused,
        "'__ts' begins with two underscores, as only the system's own names do",
        "__ts",
        "give it another name",
    ),
    (
        "CREATE STREAM bid (a int)",
        Refused,
        "there is a stream Bid already",
        "bid",
        "drop it first: DROP STREAM Bid",
    ),
    (
        'CREATE STREAM "a.b" (a int)',
        Refused,
        "the name of a stream cannot have a dot, as 'a.b' has",
        '"a.b"',
        "NAME.late and NAME.rejected come with the stream NAME",
    ),
    ("CREATE STREAM s (a int) ORDER BY b", UnknownName, "there is no column 'b'", "b", "columns are: a"),
    (
        "CREATE STREAM s (start_tim timestamp) ORDER BY start_time",
        UnknownName,
        "there is no column 'start_time'",
        "start_time",
        "did you mean start_tim?",
    ),
    (
        "CREATE STREAM s (a int) ORDER BY a",
        Refused,
        "ORDER BY takes a TIMESTAMP, and a is INTEGER",
        "a",
        "declare a as TIMESTAMP, which counts microseconds without a time zone",
    ),
    (
        "CREATE STREAM s (a int, t date) ORDER BY t",
        Refused,
        "ORDER BY takes a TIMESTAMP, and t is DATE",
        "t",
        "declare t as TIMESTAMP, which counts microseconds without a time zone",
    ),
    (
        "CREATE STREAM s (a int, t timestamp_s) ORDER BY t",
        Refused,
        "ORDER BY takes a TIMESTAMP, and t is TIMESTAMP_S",
        "t",
        "declare t as TIMESTAMP, which counts microseconds without a time zone",
    ),
    (
        "CREATE STREAM s (a int, t timestamptz) ORDER BY t",
        Refused,
        "ORDER BY takes a TIMESTAMP, and t is TIMESTAMP WITH TIME ZONE",
        "t",
        "declare t as TIMESTAMP, which counts microseconds without a time zone",
    ),
    (
        "CREATE STREAM s (a int, t timestamp_ns) ORDER BY t",
        Refused,
        "ORDER BY takes a TIMESTAMP, and t is TIMESTAMP_NS",
        "t",
        "declare t as TIMESTAMP, which counts microseconds without a time zone",
    ),
    (
        "CREATE STREAM s (a int) ORDER BY current_time",
        Refused,
        "ORDER BY current_time stamps tuples into a column that is not declared",
        "current_time",
        "add a column current_time timestamp",
    ),
    (
        "CREATE STREAM s (current_time timestamp) ORDER BY current_time",
        Refused,
        "the tuples of s would bring no column",
        "s",
        "declare a column besides current_time",
    ),
    (
        "CREATE STREAM s (a int) SLACK 5 SECONDS",
        Refused,
        "SLACK waits for late tuples, and s stamps its tuples on arrival",
        "5 SECONDS",
        "leave SLACK out, or ORDER BY a timestamp column that the tuples bring",
    ),
    (
        "CREATE STREAM s (a int, current_time timestamp) ORDER BY current_time SLACK 5 SECONDS",
        Refused,
        "SLACK waits for late tuples, and s stamps its tuples on arrival",
        "5 SECONDS",
        "leave SLACK out, or ORDER BY a timestamp column that the tuples bring",
    ),
    (
        "CREATE STREAM s (a, b) AS SELECT price FROM Bid",
        Refused,
        "s names 2 columns, and its query gives 1 column",
        "b",
        "name each column once",
    ),
    (
        "CREATE STREAM s (a, a) AS SELECT price, itemID FROM Bid",
        Refused,
        "there are two columns 'a'",
        "a",
        "case makes no difference: rename one",
    ),
    (
        "CREATE STREAM s AS SELECT price FROM Bid WHERE price IN (SELECT price FROM s [NOW])",
        Refused,
        "s reads itself, and a query over streams cannot be recursive",
        "s",
        "write as many steps as are needed one after another, each with a name of its own",
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
    assert fails(text) == (kind, message, under, hint)


def declared(text: str, catalog: Catalog) -> Stream | DerivedStream:
    (statement,) = parse(text)
    assert isinstance(statement, CreateStream | CreateDerivedStream)
    return define(statement, catalog)


def test_external_timestamps(catalog: Catalog) -> None:
    stream = catalog.find("openauction")
    assert isinstance(stream, Stream)
    assert (stream.stamping, stream.timestamp, stream.source) == (
        Stamping.EXTERNAL,
        "start_time",
        "port4445",
    )
    assert [(field.name, field.type) for field in stream.schema] == [
        ("itemID", "INTEGER"),
        ("sellerID", "VARCHAR"),
        ("price", "FLOAT"),
        ("start_time", "TIMESTAMP"),
    ]
    assert stream.arriving == stream.schema


def test_internal_timestamps_do_not_arrive(catalog: Catalog) -> None:
    stream = catalog.find("ClosedAuction")
    assert isinstance(stream, Stream)
    assert (stream.stamping, stream.timestamp) == (Stamping.INTERNAL, "current_time")
    assert stream.arriving.names == ("itemID", "buyerID", "price")


def test_latent_timestamps_have_no_column(catalog: Catalog) -> None:
    stream = catalog.find("Bid")
    assert isinstance(stream, Stream)
    assert (stream.stamping, stream.timestamp) == (Stamping.LATENT, None)


def test_clauses_are_kept_in_microseconds() -> None:
    stream = declared(
        "CREATE STREAM s (a int, T timestamp) ORDER BY t SLACK 5 SECONDS RETAIN 1 HOUR HEARTBEAT 2 s",
        Catalog(),
    )
    assert isinstance(stream, Stream)
    assert (stream.timestamp, stream.slack, stream.retain, stream.heartbeat) == (
        "T",
        5_000_000,
        3_600_000_000,
        2_000_000,
    )


def test_the_text_of_a_definition_defines_the_same_again(catalog: Catalog) -> None:
    for stream in catalog.streams.values():
        assert declared(stream.sql, Catalog()) == stream


def test_if_not_exists_gives_what_is_there(catalog: Catalog) -> None:
    assert declared("CREATE STREAM IF NOT EXISTS bid (x int)", catalog) is catalog.find("Bid")


def test_a_derived_stream_names_its_columns_and_what_it_reads(catalog: Catalog) -> None:
    stream = declared("CREATE STREAM d (x, y) AS SELECT price, itemID FROM Bid.late", catalog)
    assert isinstance(stream, DerivedStream)
    assert stream.schema.names == ("x", "y")
    assert stream.reads == {"bid"}


def test_streams_named_are_found_in_subqueries_and_unions() -> None:
    query = parse_query("SELECT a FROM (SELECT a FROM S) UNION ALL SELECT a FROM T.rejected")
    assert streams_named(query) == {"s", "t"}


def dropped(text: str) -> Drop:
    (statement,) = parse(text)
    assert isinstance(statement, Drop)
    return statement


def test_a_stream_in_use_is_not_dropped(catalog: Catalog) -> None:
    catalog.add(declared("CREATE STREAM d AS SELECT price FROM Bid", catalog))
    queries = {"q1": "SELECT price FROM d", "q2": "SELECT price FROM BID"}
    assert users_of("bid", catalog, queries) == ("d", "q2")
    assert users_of("d", catalog, queries) == ("q1",)
    with pytest.raises(Refused) as caught:
        check_drop(dropped("DROP STREAM bid"), catalog, queries)
    assert (caught.value.message, caught.value.hint) == (
        "bid is in use by d, q2",
        "drop what uses it first",
    )


def test_what_nobody_uses_can_go(catalog: Catalog) -> None:
    queries = {"q1": "SELECT price FROM Bid"}
    assert check_drop(dropped("DROP STREAM OpenAuction"), catalog, queries)
    assert check_drop(dropped("DROP QUERY Q1"), catalog, queries)
    assert not check_drop(dropped("DROP STREAM IF EXISTS nothing"), catalog, queries)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("DROP STREAM Bids", "there is no stream 'Bids'", "did you mean Bid?"),
        ("DROP QUERY q", "there is no query 'q'", "queries are: none"),
    ],
)
def test_what_is_not_there_is_not_dropped(catalog: Catalog, text: str, message: str, hint: str) -> None:
    with pytest.raises(UnknownName) as caught:
        check_drop(dropped(text), catalog, {})
    assert (caught.value.message, caught.value.hint) == (message, hint)
