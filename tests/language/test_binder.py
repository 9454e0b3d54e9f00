"""ESL's first examples as printed, and what plans the binder makes of queries."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
import pyarrow as pa
import pytest

from windrow.catalog import Catalog, DerivedStream
from windrow.language.timestamps import timestamp_column
from windrow.plan.nodes import Node, Project, Scan, Select, Union

EXAMPLE_2 = """
SELECT itemID, sellerID, price, start_time
    FROM OpenAuction WHERE price > 1000
"""
EXAMPLE_3 = """
CREATE STREAM expensiveItems AS
    SELECT itemID, sellerID, price, start_time
    FROM OpenAuction WHERE price > 1000
"""
EXAMPLE_6 = """
CREATE STREAM PriceRise(itemID, price, Time) AS
SELECT itemID, price, start_time FROM OpenAuction
UNION ALL
SELECT itemID, price, current_time FROM ClosedAuction
"""


def test_esl_example_2(plan: Callable[[str], Node]) -> None:
    node = plan(EXAMPLE_2)
    assert isinstance(node, Select)
    assert node.predicate.sql("duckdb") == '"price" > 1000'
    assert isinstance(node.input, Scan)
    assert node.input.columns == ("itemID", "sellerID", "price", "start_time")


def test_esl_example_3(catalog: Catalog, run: Callable[[str], None], plan: Callable[[str], Node]) -> None:
    run(EXAMPLE_3)
    derived = catalog.find("ExpensiveItems")
    assert isinstance(derived, DerivedStream)
    assert derived.plan == plan(EXAMPLE_2)
    assert plan("SELECT * FROM expensiveItems") == derived.plan


def test_esl_example_6(catalog: Catalog, run: Callable[[str], None]) -> None:
    run(EXAMPLE_6)
    derived = catalog.find("PriceRise")
    assert isinstance(derived, DerivedStream)
    assert [(field.name, field.type) for field in derived.schema] == [
        ("itemID", "INTEGER"),
        ("price", "FLOAT"),
        ("Time", "TIMESTAMP"),
    ]
    assert isinstance(derived.plan, Project)
    assert isinstance(derived.plan.input, Union)
    assert timestamp_column(derived.plan) == "Time"


def test_a_query_over_a_derived_stream_goes_on_where_it_ends(
    run: Callable[[str], None], plan: Callable[[str], Node]
) -> None:
    run(EXAMPLE_6)
    node = plan("SELECT P.Time, P.price FROM PriceRise P WHERE p.ITEMID = 7 ORDER BY time")
    assert node.schema.names == ("Time", "price")
    assert timestamp_column(node) == "Time"


def test_a_table_in_parentheses(plan: Callable[[str], Node]) -> None:
    assert plan("SELECT * FROM (Bid)") == plan("FROM Bid")


ROWS = pa.table(
    {
        "itemID": pa.array([1, 2, None, -4], pa.int32()),
        "price": pa.array([1.5, None, 3.0, 100.0], pa.float32()),
        "bidderID": pa.array(["ann", "Bob", "", None]),
        "bid_time": pa.array([0, 10**15, None, 1], pa.timestamp("us")),
    }
)

EXPRESSIONS = [
    "-itemID ** 2",
    "2 ** 3 ** 2",
    "itemID / 2, itemID // 2, itemID % 2",
    "NOT itemID = 1",
    "NOT itemID IS NULL AND price > 2 OR bidderID = ''",
    "itemID BETWEEN 1 AND 2 AND price > 1",
    "itemID IN (1, NULL), itemID NOT IN (2, 3)",
    "bidderID || 'x' = 'annx'",
    "bidderID LIKE 'a_n', bidderID ILIKE 'b%', bidderID SIMILAR TO '[ab].*', bidderID GLOB 'a*'",
    "bidderID NOT LIKE 'a%' ESCAPE '!'",
    "itemID IS DISTINCT FROM 1, itemID IS NOT DISTINCT FROM NULL",
    "CASE itemID WHEN 1 THEN 'one' WHEN 2 THEN 'two' END, CASE WHEN price > 2 THEN 1 ELSE 0 END",
    "CAST(price AS INTEGER), price::DECIMAL(10, 2), TRY_CAST(bidderID AS INTEGER)",
    "bid_time + INTERVAL 90 MINUTES, bid_time - INTERVAL '1' DAY, bid_time + INTERVAL '2 days 3 hours'",
    "extract(hour FROM bid_time), date_trunc('month', bid_time), epoch_us(bid_time), year(bid_time)",
    "strftime(bid_time, '%Y-%m-%d %H:%M:%S'), date_diff('day', bid_time, TIMESTAMP '2026-01-31')",
    "time_bucket(INTERVAL '5 minutes', bid_time), datepart('dow', bid_time)",
    "substr(bidderID, 1, 2), substring(bidderID FROM 2), left(bidderID, 1), bidderID[1], bidderID[1:2]",
    "upper(bidderID), len(bidderID), trim(bidderID), replace(bidderID, 'n', 'm'), strpos(bidderID, 'n')",
    "position('n' IN bidderID), instr(bidderID, 'n'), concat(bidderID, 1), concat_ws('-', bidderID, 'x')",
    "split(bidderID, 'n'), string_split(bidderID, 'n')[1], regexp_replace(bidderID, '[a-n]', 'x', 'g')",
    "regexp_matches(bidderID, '^a'), regexp_extract(bidderID, '(.)n', 1), bidderID ~ 'a.*'",
    "[itemID, 2][1], list_value(1, 2), array_length([1, 2]), list_contains([1, 2], itemID)",
    "[1, 2, 3][itemID], [1, 2, 3][-1], [1, 2, 3][2:], list_sort([3, 1, 2])",
    "list_transform([1, 2], lambda x: x + itemID), list_filter([1, 2], lambda x: x > 1)",
    "[x * 2 FOR x IN [1, 2, 3] IF x > 1]",
    "{'a': itemID, 'b': {'c': price}}.b.c, struct_pack(x := itemID).x, row(1, 2)",
    "trim(BOTH 'a' FROM bidderID), trim(LEADING 'a' FROM bidderID), trim(TRAILING 'n' FROM bidderID)",
    "json_extract('{\"a\": 1}', '$.a') = '1', ('{\"a\": 1}'::JSON -> 'a') = 1",
    "'{\"a\": 1}'::JSON ->> 'a' = '1'",
    "MAP {coalesce(price, 0): itemID}, struct_pack(a := price), row(price, itemID), {'a': price}['a']",
    "date_add(bid_time, INTERVAL 1 DAY)",
    "bid_time + INTERVAL (itemID) HOUR, date_sub('hour', bid_time, bid_time)",
    "price > ALL([1, 2]), price = ANY([1.5]), (itemID, price) = (1, 1.5)",
    "bidderID < 'b' AND NOT bidderID > 'x' OR price IS NULL AND itemID > 1",
    "itemID::VARCHAR || price::VARCHAR || 'x'",
    "bit_count(itemID), factorial(3), gcd(itemID, 6), even(price), trunc(price), sign(itemID)",
    "bidderID IS NOT NULL, price ISNULL, bidderID NOTNULL, (price > 1) IS TRUE, (price > 1) IS NOT FALSE",
    "lpad(bidderID, 5, '*'), repeat(bidderID, 2), reverse(bidderID), contains(bidderID, 'n'), bidderID[-1]",
    "CASE WHEN itemID > 1 AND price > 1 OR bidderID = 'ann' THEN 1 END + 1, -(itemID + 1) * 2, 7 - (3 - 1)",
    "itemID - (price - 1), itemID / (2 * price), (itemID + 1)::DOUBLE / 3, (-itemID)::VARCHAR",
    "list_reduce([1, 2, 3], lambda x, y: x + y), list_aggregate([1, 2], 'sum')",
    "MAP {'a': 1}['a'], map_keys(MAP {'a': 1}), json_extract('{\"a\": 1}', '$.a')",
    "'{\"a\": {\"b\": 2}}'::JSON -> 'a' ->> 'b'",
    "coalesce(price, 0), ifnull(price, 0), nullif(itemID, 1), greatest(itemID, 1), least(itemID, price)",
    "if(itemID > 1, 'a', 'b'), round(price, 1), floor(price), ceil(price), sqrt(abs(price)), ln(price)",
    "itemID & 1, itemID | 2, xor(itemID, 3), abs(itemID) << 2, ~itemID, itemID ^ 2",
    "1e3, 0.5, 1_000, 0.1 + 0.2, 'it''s', e'a\\tb', $$q$$, TRUE, NULL, 5.0 // 2",
    "DATE '2026-01-31', TIME '12:00:00', TIMESTAMP '2026-01-31 12:00:00', '\\xAA'::BLOB, 10::HUGEINT",
    "hash(itemID), md5(bidderID), bidderID COLLATE NOCASE = 'BOB', starts_with(bidderID, 'a')",
    "bidderID ^@ 'a'",
    "isnan(price), price = 'nan'::FLOAT, to_timestamp(0) IS NOT NULL, make_date(2026, 1, 31)",
    "bar(price, 0, 100, 10), format('{} {}', itemID, bidderID), printf('%d', itemID), chr(65), ascii('A')",
    "AGE(bid_time, TIMESTAMP '2026-01-31'), last_day(bid_time), dayname(bid_time), monthname(bid_time)",
]


@pytest.mark.parametrize("expressions", EXPRESSIONS)
def test_expressions_mean_what_they_mean_in_duckdb(plan: Callable[[str], Node], expressions: str) -> None:
    node = plan(f"SELECT {expressions} FROM Bid")
    assert isinstance(node, Project)
    with duckdb.connect() as connection:
        connection.register("Bid", ROWS)
        wanted = connection.sql(f"SELECT {expressions} FROM Bid")
        computed = ", ".join(each.sql("duckdb") for each in node.expressions)
        got = connection.sql(f"SELECT {computed} FROM Bid")
        assert repr(got.fetchall()) == repr(wanted.fetchall())
        assert [str(type_) for type_ in wanted.types] == [
            '"NULL"' if str(type_) == '"NULL"' else field.type
            for field, type_ in zip(node.schema, wanted.types, strict=True)
        ]
