"""Whatever text comes in, nothing but a windrow error comes out, and soon."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.language.conftest import carry_out
from tests.language.surviving import survives
from windrow.catalog import Catalog
from windrow.language.binder import bind
from windrow.language.parser import parse, parse_query
from windrow.language.tokens import tokenize

STATEMENTS = (
    "CREATE STREAM s (a int, t timestamp) ORDER BY t SLACK 5 SECONDS RETAIN 1 HOUR SOURCE 'push'",
    "CREATE STREAM s (a struct(x int, y varchar[]), b decimal(9, 2)); SOURCE 'port4445'",
    "CREATE STREAM p (a, b) AS SELECT price, itemID FROM Bid",
    "CREATE QUERY q AS SELECT * EXCLUDE (price) FROM OpenAuction WHERE start_time > '2026-01-31'",
    "SELECT price * 2 AS twice, twice + 1, lower(bidderID), bid_time + INTERVAL 3 DAY FROM Bid AS b",
    "SELECT x.z FROM (SELECT {'a': price}.a AS z FROM Bid WHERE price > 2) AS x(z)",
    "SELECT CASE WHEN price > 1 THEN [price] ELSE [] END, CAST(price AS INTEGER), price::VARCHAR FROM Bid",
    "SELECT list_transform([price], lambda q: q + 1), [y + 1 FOR y IN [price] IF y > 2] FROM Bid",
    "SELECT price, start_time FROM OpenAuction UNION SELECT price, current_time FROM ClosedAuction",
    "SELECT itemID FROM Bid UNION ALL (SELECT price FROM Bid UNION ALL SELECT 'x' FROM Bid.late)",
    "INSERT INTO Bid (itemID, price) VALUES (1, 2.5), (3, NULL)",
    "INSERT INTO 'console:' SELECT * FROM Bid",
    "CREATE TABLE t (a int PRIMARY KEY, b varchar); CREATE NRR n (a int, b real, PRIMARY KEY (a, b))",
    "INSERT OR REPLACE INTO Item (id, name) SELECT id + 1, upper(name) FROM Item WHERE id IN (SELECT 1)",
    "UPDATE Item SET name = name || 'x', id = id + 1 WHERE price > 2; DELETE FROM Item WHERE id = 3",
    "SET idle_timeout = 5 seconds; SHOW SETTINGS; DESCRIBE Bid.late; DROP STREAM IF EXISTS Bid",
    "EXPLAIN JSON SELECT count(*) FROM Bid JOIN OpenAuction USING (itemID) GROUP BY price LIMIT 3",
)
STRANGE = """
    -- /* */ $$ :: -> ->> := {{ }} {% %} 1e 1e400 0x1F _ 99999999999999999999999
    ' " ( ) [ ] { } ; , . : ? $ @ # \\ ` ~ ! ^ & | % \0 é ≤
    DISTINCT PIVOT UNPIVOT LATERAL VALUES TABLE ASOF SAMPLE LAMBDA COLUMNS MAP ROW OVER FILTER
    EXCEPT INTERSECT HAVING QUALIFY WINDOW OFFSET COLLATE EXTRACT TRIM GLOB TRY_CAST ANY EXISTS
"""
WORDS = sorted(
    {text[token.start : token.end + 1] for text in STATEMENTS for token in tokenize(text)}.union(
        STRANGE.split()
    )
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A statement with some of its tokens dropped, doubled, exchanged or put in from elsewhere."""
    text = draw(st.sampled_from(STATEMENTS))
    words = [text[token.start : token.end + 1] for token in tokenize(text)]
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(words)))
        match draw(st.sampled_from(("insert", "drop", "replace", "repeat"))):
            case "insert":
                words.insert(place, draw(st.sampled_from(WORDS)))
            case "drop":
                del words[place : place + 1]
            case "replace":
                words[place : place + 1] = [draw(st.sampled_from(WORDS))]
            case _:
                words[place:place] = words[draw(st.integers(0, len(words))) :][:4]
    return draw(st.sampled_from((" ", "\n", ""))).join(words)


@pytest.fixture
def catalog(catalog: Catalog) -> Catalog:
    """The auctions, and a table."""
    (statement,) = parse("CREATE TABLE Item (id INT PRIMARY KEY, name VARCHAR, price REAL)")
    carry_out(statement, catalog)
    return catalog


FIXTURE = [HealthCheck.function_scoped_fixture]


@given(text=mutated())
@settings(max_examples=300, deadline=5_000, suppress_health_check=FIXTURE)
def test_mutated_statements(catalog: Catalog, text: str) -> None:
    survives(text, catalog)


@pytest.mark.slow
@given(text=mutated())
@settings(max_examples=20_000, deadline=5_000, suppress_health_check=FIXTURE)
def test_very_many_mutated_statements(catalog: Catalog, text: str) -> None:
    survives(text, catalog)


@given(text=st.text(max_size=60))
@settings(max_examples=200, deadline=5_000, suppress_health_check=FIXTURE)
def test_any_text(catalog: Catalog, text: str) -> None:
    survives(text, catalog)
    survives(f"SELECT {text} FROM Bid", catalog)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 1000,
        f"SELECT {'(' * 1000}1{')' * 1000} FROM Bid",
        f"SELECT {'[' * 1000}1{']' * 1000} FROM Bid",
        f"{'(' * 1000}SELECT price FROM Bid{')' * 1000}",
        f"SELECT {'CASE WHEN true THEN ' * 500}1{' END' * 500} FROM Bid",
        f"SELECT {'lower(' * 1000}bidderID{')' * 1000} FROM Bid",
        f"SELECT price FROM Bid WHERE {'NOT ' * 500}price > 1",
        f"SELECT {' + '.join(['price'] * 500)} FROM Bid",
        f"SELECT {'-' * 3}{'- ' * 500}price FROM Bid",
        f"CREATE STREAM s (a {'struct(x ' * 500}int{')' * 500})",
        f"SELECT price{'::INTEGER' * 500} FROM Bid",
        f"SELECT {', '.join(['price'] * 2000)} FROM Bid",
        f"INSERT INTO Bid (itemID) VALUES {', '.join(['(1)'] * 5000)}",
        "'" * 5001,
    ],
)
def test_monsters(catalog: Catalog, text: str) -> None:
    began = time.monotonic()
    survives(text, catalog)
    assert time.monotonic() - began < 10


def test_a_query_of_ten_lines_binds_within_20_ms(catalog: Catalog) -> None:
    text = """
        SELECT itemID, price * 2 AS doubled,
            lower(sellerID) AS seller,
            CASE WHEN price > 100 THEN 'dear' ELSE 'cheap' END AS kind,
            start_time
        FROM OpenAuction
        WHERE price > 1000
            AND sellerID LIKE 'a%'
        UNION ALL
        SELECT itemID, price, buyerID, 'sold', current_time FROM ClosedAuction
    """
    taken = []
    for _ in range(20):
        began = time.perf_counter()
        bind(parse_query(text), catalog)
        taken.append(time.perf_counter() - began)
    assert min(taken) < 0.020
