"""The gaps that the textbook's examples 17 and 18 ask for are in the readings: DuckDB looks."""

import duckdb
import pytest


@pytest.fixture
def seen(generated, stream):
    """A function that registers readings of a kind as table `seen`."""
    with duckdb.connect() as connection:

        def look(part: str, place: str, rate: str, limit: int) -> duckdb.DuckDBPyConnection:
            columns = [
                ("tagid", "VARCHAR"),
                ("tagtype", "VARCHAR"),
                ("tagtime", "TIMESTAMP"),
                (place, "VARCHAR"),
            ]
            uri = f"demo://rfid/{part}?rate={rate}&speed=max&start=2026-01-01&limit={limit}"
            connection.register("seen", generated(uri, stream(*columns)))
            return connection

        yield look


def groups(connection: duckdb.DuckDBPyConnection, place: str, gap: str) -> duckdb.DuckDBPyRelation:
    """Readings of one place with the number of the group that gaps make of them."""
    connection.execute(f"""
        CREATE OR REPLACE TEMP VIEW grouped AS
        SELECT *, sum(starts::INTEGER) OVER (placed ROWS UNBOUNDED PRECEDING) AS number FROM (
            SELECT *, tagtime - lag(tagtime, 1, '2025-01-01') OVER placed > INTERVAL '{gap}' AS starts
            FROM seen WINDOW placed AS (PARTITION BY {place} ORDER BY tagtime))
        WINDOW placed AS (PARTITION BY {place} ORDER BY tagtime)""")
    return connection.sql(f"""
        SELECT {place} AS place, number, list(tagtype ORDER BY tagtime) AS types, min(tagtime) AS began
        FROM grouped GROUP BY ALL ORDER BY place, number""")


@pytest.mark.parametrize("rate", ["1", "0.3", "50"])
def test_a_case_follows_the_items_that_were_packed_into_it(seen, rate):
    found = groups(seen("readings", "line", rate, 16_000), "line", "2 seconds").fetchall()
    cut_off = {place: number for place, number, _, _ in found}
    whole = [types for place, number, types, _ in found if number != cut_off[place]]
    assert all(types == ["item"] * (len(types) - 1) + ["case"] for types in whole)
    assert {len(types) for types in whole} == set(range(4, 13))


def test_one_line_needs_no_partition_to_tell_cases_apart(seen):
    connection = seen("readings", "line", "1", 6_400)
    assert connection.sql("SELECT count(DISTINCT line) FROM seen").fetchall() == [(1,)]


@pytest.mark.parametrize(("rate", "doors"), [("0.25", 1), ("10", 40)])
def test_items_leave_with_authority_but_for_thefts_now_and_then(seen, rate, doors):
    connection = seen("doors", "door", rate, 64 * 40 * 20)
    ((found, items, stolen),) = connection.sql("""
        SELECT count(DISTINCT door), count(*) FILTER (tagtype = 'item'), count(*) FILTER (
            tagtype = 'item' AND NOT EXISTS (
                SELECT 1 FROM seen AS person WHERE person.tagtype = 'ap' AND person.door = item.door
                AND abs(epoch_us(person.tagtime) - epoch_us(item.tagtime)) <= 5_000_000))
        FROM seen AS item""").fetchall()
    assert found == doors
    assert 0.03 < stolen / items < 0.08


def test_who_passes_with_others_does_so_alone_of_authority_and_first_or_last(seen):
    passages = [
        types
        for _, _, types, _ in groups(seen("doors", "door", "1", 5_120), "door", "5 seconds").fetchall()
    ]
    led, followed = ["ap", "item", "item"], ["item", "item", "ap"]
    assert led in passages
    assert followed in passages
    assert max(types.count("ap") for types in passages) == 1


def test_an_item_is_seen_once_and_people_come_again(seen):
    connection = seen("doors", "door", "100", 50_000)
    counts = dict(
        connection.sql("SELECT tagtype, count(*) / count(DISTINCT tagid) FROM seen GROUP BY ALL").fetchall()
    )
    assert counts["item"] == 1
    assert counts["ap"] > 100


def test_the_mean_rate_is_the_one_asked_for(seen):
    connection = seen("readings", "line", "640", 640 * 640)
    ((seconds,),) = connection.sql("SELECT epoch(max(tagtime) - min(tagtime)) FROM seen").fetchall()
    assert seconds == pytest.approx(640, rel=0.02)
