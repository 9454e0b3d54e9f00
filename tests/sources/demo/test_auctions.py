"""The three streams, each generated alone, tell one story: DuckDB checks it."""

import duckdb
import pytest

OPEN = [("itemID", "INTEGER"), ("sellerID", "CHAR(10)"), ("price", "REAL"), ("start_time", "TIMESTAMP")]
BIDS = [("itemID", "INTEGER"), ("price", "REAL"), ("bidderID", "CHAR(10)"), ("bid_time", "TIMESTAMP")]
CLOSED = [
    ("itemID", "INTEGER"),
    ("buyerID", "CHAR(10)"),
    ("price", "REAL"),
    ("close_time", "TIMESTAMP"),
]
SOLD = 17_000
"""More than one block of closings."""


@pytest.fixture(params=["seed=1", "seed=2&burst=5", "seed=3&rate=7"])
def story(request, generated, stream):
    """Openings, bids and closings of all that has happened when auction number SOLD closes."""

    def part(name, columns, limit):
        options = f"{request.param}&speed=max&start=2026-01-01&limit={limit}"
        return generated(f"demo://auctions/{name}?{options}", stream(*columns))

    with duckdb.connect() as connection:
        connection.register("opened", part("open", OPEN, SOLD + 1_001))
        connection.register("bid", part("bids", BIDS, (SOLD + 1_001) * 10))
        connection.register("closed", part("closed", CLOSED, SOLD))
        yield connection


def test_items_open_and_close_once_each_in_order(story):
    for table, count in (("opened", SOLD + 1_001), ("closed", SOLD)):
        found = story.sql(f"SELECT count(*), count(DISTINCT itemID), min(itemID), max(itemID) FROM {table}")
        assert found.fetchall() == [(count, count, 0, count - 1)]


def test_bids_are_made_only_while_their_auction_is_open(story):
    strays = story.sql("""
        SELECT count(*) FROM bid LEFT JOIN opened USING (itemID) LEFT JOIN closed USING (itemID)
        WHERE start_time IS NULL OR bid_time < start_time OR bid_time > close_time""")
    assert strays.fetchall() == [(0,)]


def test_every_bid_is_higher_than_the_start_price_and_the_bids_before(story):
    low = story.sql("""
        SELECT count(*) FROM (
            SELECT bid.price, opened.price AS start_price,
                   lag(bid.price) OVER (PARTITION BY itemID ORDER BY position) AS before
            FROM (SELECT *, row_number() OVER () AS position FROM bid) AS bid JOIN opened USING (itemID))
        WHERE price <= before OR price < start_price""")
    assert low.fetchall() == [(0,)]


def test_an_auction_closes_with_its_highest_bid_and_who_made_it(story):
    wrong = story.sql("""
        SELECT count(*) FROM closed LEFT JOIN (
            SELECT itemID, max(price) AS price, arg_max(bidderID, price) AS bidder FROM bid GROUP BY itemID
        ) AS best USING (itemID)
        WHERE closed.price IS DISTINCT FROM best.price OR buyerID IS DISTINCT FROM bidder""")
    assert wrong.fetchall() == [(0,)]


def test_all_auctions_stay_open_equally_long(story):
    spread = story.sql("""
        SELECT epoch_us(max(close_time - start_time)) / epoch_us(min(close_time - start_time))
        FROM closed JOIN opened USING (itemID)""")
    ((ratio,),) = spread.fetchall()
    assert ratio == pytest.approx(1, abs=0.15)  # bursts stretch and shorten it


def test_favourites_draw_more_bids_than_others(story):
    counts = story.sql("""
        SELECT avg(bids) FILTER (itemID % 4 = 0), avg(bids) FILTER (itemID % 4 <> 0), min(bids)
        FROM (SELECT itemID, count(*) AS bids FROM bid JOIN closed USING (itemID) GROUP BY itemID)""")
    ((favourites, others, least),) = counts.fetchall()
    assert favourites > 3 * others
    assert least >= 1


def test_names_look_as_in_the_textbook_and_prices_reach_above_a_thousand(story):
    sellers = story.sql("SELECT DISTINCT regexp_full_match(sellerID, 's[0-9]{9}') FROM opened")
    bidders = story.sql("SELECT DISTINCT regexp_full_match(bidderID, 'b[0-9]{9}') FROM bid")
    assert sellers.fetchall() == bidders.fetchall() == [(True,)]
    ((share,),) = story.sql("SELECT avg((price > 1000)::INTEGER) FROM opened").fetchall()
    assert 0.01 < share < 0.1
