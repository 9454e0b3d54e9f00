"""ADVANCE and ASSERT, carried out."""

from __future__ import annotations

import pytest

import windrow
from windrow.errors import AssertionFailed, Error, SinkError, UnknownName

BIDS = """
CREATE STREAM Bid (item INT, price DOUBLE, at TIMESTAMP) ORDER BY at;
CREATE QUERY dear AS SELECT item, price FROM Bid WHERE price > 10;
INSERT INTO Bid VALUES (1, 5, '2026-01-01 12:00'), (2, 20, '2026-01-01 12:01'), (3, 30, '2026-01-01 12:02');
"""


@pytest.fixture
def bids(db: windrow.Database) -> windrow.Database:
    db.execute(BIDS)
    return db


def failure(db: windrow.Database, sql: str) -> AssertionFailed:
    with pytest.raises(AssertionFailed) as caught:
        db.execute(sql)
    return caught.value


def test_what_is_so_is_told(bids: windrow.Database) -> None:
    told = bids.execute(
        """
        ASSERT ANSWER OF dear AS (VALUES (3, 30), (2, 20));
        ASSERT CHANGES OF Dear WITH TIMES AS (VALUES
            ('+I', '2026-01-01 12:01', 2, 20), ('+I', '2026-01-01 12:02', 3, 30));
        ASSERT ERROR 'did you mean price' FOR SELECT pryce FROM Bid
        """
    )
    assert [outcome.message for outcome in told] == [
        "the answer of dear: as asserted",
        "the changes of Dear: as asserted",
        "refused as asserted: there is no column 'pryce'",
    ]


def test_changes_are_those_since_the_last_time(bids: windrow.Database) -> None:
    bids.execute(
        """
        ASSERT CHANGES OF dear AS (VALUES ('+I', 2, 20), ('+I', 3, 30));
        ASSERT CHANGES OF dear IS EMPTY;
        INSERT INTO Bid VALUES (4, 40, '2026-01-01 12:02');
        ASSERT CHANGES OF dear AS (VALUES ('+I', 4, 40))
        """
    )


def test_changes_are_told_in_the_style_that_is_set(db: windrow.Database) -> None:
    db.execute(
        f"SET changelog = 'diff'; {BIDS}; ASSERT CHANGES OF dear AS (VALUES (1, 2, 20), (+1, 3, 30))"
    )


def test_the_order_of_changes_counts(bids: windrow.Database) -> None:
    failed = failure(bids, "ASSERT CHANGES OF dear AS (VALUES ('+I', 3, 30), ('+I', 2, 20))")
    assert failed.message == "the changes of dear: 1 row did not come and 1 row came unexpected"


def test_a_difference_has_both_tables(bids: windrow.Database) -> None:
    failed = failure(bids, "ASSERT ANSWER OF dear AS (VALUES (2, 20), (4, 40), (4, 40))")
    assert failed.message == "the answer of dear: 2 rows did not come and 1 row came unexpected"
    assert failed.difference
    assert failed.difference.expected.alone == (False, True, True)
    assert failed.difference.actual.rows.to_pylist()[1] == {"item": 3, "price": 30.0}


def test_something_where_nothing_should_be(bids: windrow.Database) -> None:
    failed = failure(bids, "SHOW STREAMS;\nASSERT ANSWER OF dear IS EMPTY")
    assert (failed.message, failed.line) == ("the answer of dear: 2 rows came unexpected", 2)


def test_another_error_than_asserted(bids: windrow.Database) -> None:
    failed = failure(bids, "ASSERT ERROR 'no stream' FOR SELECT x FROM Bid")
    assert failed.message == "another error came: there is no column 'x'"
    assert failed.hint == "columns are: item, price, at"


def test_no_error_where_one_is_asserted(bids: windrow.Database) -> None:
    failed = failure(bids, "ASSERT ERROR 'x' FOR\n  SHOW STREAMS")
    assert (failed.message, failed.line, failed.column) == ("no error came", 2, 3)


@pytest.mark.parametrize(
    ("part", "statement"),
    [
        ("begins with", "SELEC 1"),
        ("unexpected", "SELECT lower(item FROM Bid"),
        ("ORDER BY takes", "CREATE STREAM s (a int) ORDER BY a; SOURCE 'push'"),
        ("no setting", "SET bach_rows = 1"),
        ("port", "INSERT INTO 'tcp://nowhere' SELECT item FROM Bid"),
        ("did not come", "ASSERT ANSWER OF dear AS (VALUES (9, 9))"),
    ],
)
def test_every_error_can_be_asserted(bids: windrow.Database, part: str, statement: str) -> None:
    bids.execute(f"ASSERT ERROR '{part}' FOR {statement}")


def test_a_query_that_is_not_there(bids: windrow.Database) -> None:
    with pytest.raises(UnknownName) as refused:
        bids.execute("ASSERT ANSWER OF deer IS EMPTY")
    assert (refused.value.message, refused.value.hint) == ("there is no query deer", "did you mean dear?")


def test_a_query_whose_changes_go_elsewhere(bids: windrow.Database) -> None:
    bids.execute("INSERT INTO 'blackhole:' SELECT item FROM Bid")
    with pytest.raises(SinkError, match="go to blackhole:, not to memory"):
        bids.execute("ASSERT ANSWER OF q1 IS EMPTY")


def test_a_heartbeat_moves_a_stream(db: windrow.Database) -> None:
    db.execute(
        """
        CREATE STREAM A (x INT, at TIMESTAMP) ORDER BY at;
        CREATE STREAM B (x INT, at TIMESTAMP) ORDER BY at;
        CREATE QUERY merged AS SELECT x FROM A UNION ALL SELECT x FROM B;
        INSERT INTO A VALUES (1, '2026-01-01 12:00'), (2, '2026-01-01 12:05');
        ASSERT ANSWER OF merged IS EMPTY;
        ADVANCE B TO TIMESTAMP '2026-01-01 12:00';
        ASSERT ANSWER OF merged AS (VALUES (1));
        INSERT INTO B VALUES (3, '2026-01-01 12:00');
        CREATE QUERY late AS SELECT x FROM B.late;
        ASSERT ANSWER OF late AS (VALUES (3));
        """
    )


def test_the_clock_stamps_what_comes(db: windrow.Database) -> None:
    db.execute(
        """
        CREATE STREAM S (x INT, current_time TIMESTAMP) ORDER BY current_time;
        CREATE QUERY q AS SELECT x, current_time FROM S;
        INSERT INTO S VALUES (1);
        ADVANCE CLOCK BY 5 SECONDS;
        INSERT INTO S VALUES (2);
        ASSERT ANSWER OF q AS (VALUES (1, '2026-01-01 00:00:00'), (2, '2026-01-01 00:00:05'));
        """
    )
    assert db.queries["q"].clock == 1_767_225_605_000_000


def test_streams_that_the_system_stamps_follow_the_clock(db: windrow.Database) -> None:
    db.execute(
        """
        CREATE STREAM S (x INT, current_time TIMESTAMP) ORDER BY current_time;
        CREATE QUERY q AS SELECT x FROM S;
        INSERT INTO S VALUES (1);
        ADVANCE CLOCK BY 5 SECONDS;
        ASSERT ANSWER OF q AS (VALUES (1))
        """
    )
    assert db.queries["q"].clock == 1_767_225_605_000_000


def test_a_clock_that_moves_by_itself_is_left_alone() -> None:
    with windrow.connect(runner="inline") as db, pytest.raises(Error, match="moves by itself"):
        db.execute("ADVANCE CLOCK BY 5 SECONDS")
