import pytest

from windrow.errors import Error, SourceError

OPEN = [("itemID", "INTEGER"), ("sellerID", "CHAR(10)"), ("price", "REAL"), ("start_time", "TIMESTAMP")]
BIDS = [("itemID", "INTEGER"), ("price", "REAL"), ("bidderID", "CHAR(10)"), ("bid_time", "TIMESTAMP")]
CLOSED = [("itemID", "INTEGER"), ("buyerID", "CHAR(10)"), ("price", "REAL")]


@pytest.mark.parametrize(("part", "columns"), [("open", OPEN), ("bids", BIDS)])
def test_a_world_gives_a_stream_the_part_that_has_its_columns(part, columns, generated, stream):
    options = "rate=max&limit=100&start=2026-01-01"
    assert generated(f"demo://auctions?{options}", stream(*columns)).equals(
        generated(f"demo://auctions/{part}?{options}", stream(*columns))
    )


def test_a_timestamp_that_the_system_stamps_still_tells_which_part_is_meant(generated, stream):
    options = "rate=max&limit=100&start=2026-01-01"
    declared = stream(("itemID", "INTEGER"), ("price", "REAL"), internal=True)
    assert generated(f"demo://auctions?{options}", declared).equals(
        generated(f"demo://auctions/closed?{options}", declared)
    )
    closed = generated(f"demo://auctions?{options}", stream(*CLOSED, internal=True))
    assert closed.column_names == ["itemID", "buyerID", "price"]


def test_columns_are_found_whatever_their_case_and_order(generated, stream):
    rows = generated("demo://packets?rate=max&limit=5", stream(("BYTES", "INTEGER"), ("Src", "VARCHAR")))
    assert rows.column_names == ["BYTES", "Src"]


@pytest.mark.parametrize(
    ("uri", "columns", "message", "hint"),
    [
        (
            "demo://auction",
            OPEN,
            "there is no demo 'auction'",
            "demos are: auctions, packets, rfid",
        ),
        (
            "demo://auctions/sold",
            OPEN,
            "auctions has no part 'sold'",
            "its parts are: open, bids, closed",
        ),
        (
            "demo://packets/5",
            [("src", "VARCHAR")],
            "packets has no part '5'",
            "its parts are: 1, 2, 3, 4",
        ),
        (
            "demo://packets/1",
            [("source", "VARCHAR")],
            "nothing fills column source of S",
            "columns are: ts TIMESTAMP, duration DOUBLE, protocol VARCHAR, "
            "src VARCHAR, dst VARCHAR, bytes BIGINT",
        ),
        (
            "demo://rfid",
            [("tagid", "VARCHAR")],
            "several parts have the columns of S: tagid",
            "name one of /readings (tagid VARCHAR, tagtype VARCHAR, tagtime TIMESTAMP, line VARCHAR); "
            "/doors (tagid VARCHAR, tagtype VARCHAR, tagtime TIMESTAMP, door VARCHAR)",
        ),
        (
            "demo://rfid",
            [("door", "VARCHAR"), ("line", "VARCHAR")],
            "no part has the columns of S: door, line",
            "name one of /readings (tagid VARCHAR, tagtype VARCHAR, tagtime TIMESTAMP, line VARCHAR); "
            "/doors (tagid VARCHAR, tagtype VARCHAR, tagtime TIMESTAMP, door VARCHAR)",
        ),
    ],
)
def test_what_cannot_be_had_is_refused_with_what_can(source, stream, uri, columns, message, hint):
    with pytest.raises(SourceError) as caught:
        source(uri, stream(*columns))
    assert caught.value.message == f"{uri}: {message}"
    assert caught.value.hint == hint


def test_a_warehouse_takes_no_bursts(source, stream):
    with pytest.raises(Error) as caught:
        source("demo://rfid/doors?burst=5", stream(("door", "VARCHAR")))
    assert str(caught.value) == (
        "demo://rfid/doors?burst=5: no option 'burst'\nhint: options are: rate, speed, seed, limit, start"
    )


def test_a_warehouse_has_only_so_many_doors(source, stream):
    with pytest.raises(SourceError) as caught:
        source("demo://rfid/doors?rate=5000", stream(("door", "VARCHAR")))
    assert str(caught.value) == (
        "demo://rfid: 5000 tuples a second would need more than 4096 doors\n"
        "hint: rate is at most 1024; speed=10 or speed=max gives more in less time"
    )
