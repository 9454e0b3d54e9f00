"""What clients send that is no tuple: kept with its reason, counted, and no reason to stop."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

import windrow
from windrow.database import Database, Query

CREATE = """
    CREATE STREAM Bid (item INT, price DOUBLE, name VARCHAR, made TIMESTAMP) ORDER BY made
        SOURCE 'tcp://127.0.0.1:{port}?format={form}'
"""
GOOD = b"1,2.5,chair,2026-01-01 00:00:01\n"


class Sale:
    """A database that takes bids from a port, and what became of them."""

    def __init__(self, port: int, form: str) -> None:
        self.database: Database = windrow.connect("inline")
        self.port = port
        self.database.execute(CREATE.format(port=port, form=form))
        self.bids: Query = self.database.query("SELECT item FROM Bid")
        self.rejected: Query = self.database.query("SELECT input, reason FROM Bid.rejected")
        self.late: Query = self.database.query("SELECT item FROM Bid.late")

    def connect(self) -> socket.socket:
        self.database.run(seconds=0)
        return socket.create_connection(("127.0.0.1", self.port), 10)

    def send(self, *lines: bytes) -> None:
        with self.connect() as client:
            client.sendall(b"".join(lines))

    def counts(self) -> tuple[int, int, int]:
        """Accepted, late and rejected, as SHOW STREAMS has them."""
        (shown,) = self.database.execute("SHOW STREAMS")
        assert shown.table is not None
        (row,) = shown.table.to_pylist()
        return row["accepted"], row["late"], row["rejected"]

    def comes_to(self, accepted: int, late: int, rejected: int) -> None:
        """Runs until the counts are these, and all that was counted has come out."""
        deadline = time.monotonic() + 60
        while self.counts() != (accepted, late, rejected):
            assert time.monotonic() < deadline, self.counts()
            self.database.run(seconds=0.05)
        self.database.run_until_idle()
        counted = (self.bids, self.late, self.rejected)
        assert tuple(query.answer().num_rows for query in counted) == (accepted, late, rejected)

    def reasons(self) -> list[tuple[str, str]]:
        return [(row["input"], row["reason"]) for row in self.rejected.answer().to_pylist()]


@pytest.fixture
def sale(free_port: int) -> Iterator[Sale]:
    opened = Sale(free_port, "csv")
    with opened.database:
        yield opened


def test_a_torn_last_line(sale: Sale) -> None:
    sale.send(GOOD, b"2,3.5,tab")
    sale.comes_to(1, 0, 1)
    assert sale.reasons() == [("2,3.5,tab", "the line is torn: the client left before it ended")]


def test_a_wrong_column_count(sale: Sale) -> None:
    sale.send(b"1,2.5\n", GOOD, b"1,2.5,chair,2026-01-01 00:00:01,more\n", GOOD)
    sale.comes_to(2, 0, 2)
    assert sale.reasons() == [
        ("1,2.5", "2 fields for 4 columns"),
        ("1,2.5,chair,2026-01-01 00:00:01,more", "5 fields for 4 columns"),
    ]


def test_invalid_utf_8(sale: Sale) -> None:
    sale.send(GOOD, b"2,1.0,\xff\xfe,2026-01-01 00:00:02\n", GOOD)
    sale.comes_to(2, 0, 1)
    assert sale.reasons() == [("2,1.0,\ufffd\ufffd,2026-01-01 00:00:02", "the line is not valid UTF-8")]


def test_a_line_of_10_megabytes(sale: Sale) -> None:
    with sale.connect() as client:
        client.sendall(GOOD + b"2,1.0," + b"x" * 10_000_000 + b",2026-01-01 00:00:02\n" + GOOD)
    sale.comes_to(2, 0, 1)
    ((shown, reason),) = sale.reasons()
    assert shown == "2,1.0," + 194 * "x"
    assert reason == "the line is too long: 10000026 bytes, and at most 1048576 are taken"


def test_values_that_are_no_values_of_their_columns(sale: Sale) -> None:
    sale.send(b"one,2.5,chair,2026-01-01 00:00:01\n", GOOD, b"1,2.5,chair,yesterday\n", b"1,,,\n")
    sale.comes_to(1, 0, 3)
    assert [reason.partition(":")[0] for _, reason in sale.reasons()] == [
        "column item",
        "column made",
        "the timestamp made is NULL",
    ]


def test_a_tuple_that_comes_late(sale: Sale) -> None:
    sale.send(GOOD, b"2,3.5,table,2025-12-31 23:59:59\n", GOOD)
    sale.comes_to(2, 1, 0)
    assert sale.late.answer().to_pydict() == {"item": [2]}


def test_a_client_that_says_nothing_holds_nobody_up(sale: Sale) -> None:
    with closing(sale.connect()), closing(sale.connect()) as half:
        half.sendall(b"7,7.0,half of a li")
        sale.send(GOOD, GOOD)
        sale.comes_to(2, 0, 0)
        half.sendall(b"ne,2026-01-01 00:00:01\n")
        sale.comes_to(3, 0, 0)
    sale.send(GOOD)
    sale.comes_to(4, 0, 0)


def test_all_of_it_at_once_from_many(sale: Sale) -> None:
    bad = [b"1,2.5\n", b"\xff\n", b"x" * 2_000_000 + b"\n", b"torn", b""]
    for each in bad:
        sale.send(GOOD, each)
    sale.comes_to(len(bad), 0, len(bad) - 1)


def test_json_that_is_none(free_port: int) -> None:
    sale = Sale(free_port, "json")
    with sale.database:
        sale.send(
            b'{"item": 1, "made": "2026-01-01 00:00:01"}\n',
            b'{"item": 1, "made": \n',
            b"[1, 2]\n",
            b'"x"\n',
        )
        sale.comes_to(1, 0, 3)
