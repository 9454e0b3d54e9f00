"""A sink that fails half-way: its error ends the run, and the batch is given again when it runs on."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import windrow
from windrow.errors import SinkError

Runner = Literal["inline", "spark"]
RUNNERS = pytest.mark.parametrize("runner", ["inline", pytest.param("spark", marks=pytest.mark.spark)])


class Ledger:
    """A callback that fails when it is told to, and otherwise notes what it is given."""

    __name__ = "ledger"

    def __init__(self) -> None:
        self.noted: dict[int, list[int]] = {}
        self.full = False

    def __call__(self, batch: int, changes: pa.Table) -> None:
        if self.full:
            raise ValueError("no more room in the ledger")
        assert batch not in self.noted
        self.noted[batch] = changes["item"].to_pylist()

    @property
    def items(self) -> list[int]:
        return [item for batch in sorted(self.noted) for item in self.noted[batch]]


def opened(runner: Runner, folder: Path, ledger: Ledger) -> windrow.Database:
    db = windrow.connect(runner, "local[2]", folder / "kept", driver_rows=0)
    db.execute("CREATE STREAM Bid (item INT)")
    db.execute(f"INSERT INTO 'file://{folder}/out?format=parquet' SELECT item FROM Bid")
    db.query("SELECT item FROM Bid", into=ledger)
    return db


def in_files(folder: Path) -> list[int]:
    items: list[int] = ds.dataset(folder / "out", format="parquet").to_table()["item"].to_pylist()
    return sorted(items)


def push(db: windrow.Database, *items: int) -> None:
    db.push("Bid", [(item,) for item in items])


def fails(db: windrow.Database) -> None:
    with pytest.raises(SinkError) as failure:
        db.run_until_idle()
    assert failure.value.message == (
        "the callback ledger failed on batch 2: ValueError: no more room in the ledger"
    )
    assert failure.value.hint == "the batch is given to it again when the query runs on"


@RUNNERS
def test_a_callback_that_raises_gets_the_batch_again_in_the_next_run(
    runner: Runner, tmp_path: Path
) -> None:
    ledger = Ledger()
    with opened(runner, tmp_path, ledger) as db:
        push(db, 1, 2)
        db.run_until_idle()
        ledger.full = True
        push(db, 3)
        fails(db)
        fails(db)
        ledger.full = False
        push(db, 4)
        db.run_until_idle()
    assert ledger.items == [1, 2, 3, 4]
    assert in_files(tmp_path) == [1, 2, 3, 4]


@RUNNERS
def test_a_callback_that_raises_gets_the_batch_again_after_a_restart(
    runner: Runner, tmp_path: Path
) -> None:
    ledger = Ledger()
    with opened(runner, tmp_path, ledger) as db:
        push(db, 1, 2)
        db.run_until_idle()
        ledger.full = True
        push(db, 3)
        fails(db)
    ledger.full = False
    with opened(runner, tmp_path, ledger) as db:
        push(db, 4)
        db.run_until_idle()
    assert ledger.items == [1, 2, 3, 4]
    assert in_files(tmp_path) == [1, 2, 3, 4]


class Receiver:
    """Somebody who listens for lines, and hangs up."""

    def __init__(self, port: int) -> None:
        self._listener = socket.create_server(("127.0.0.1", port))
        self._listener.settimeout(60)
        self._connection: socket.socket | None = None

    def accept(self) -> None:
        self._connection, _ = self._listener.accept()
        self._connection.settimeout(60)

    def line(self) -> str:
        assert self._connection is not None
        text = b""
        while not text.endswith(b"\n"):
            text += self._connection.recv(1)
        return text.decode()

    def die(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._listener.close()


@RUNNERS
def test_a_receiver_that_dies_gets_everything_when_it_is_back(
    runner: Runner, tmp_path: Path, free_port: int
) -> None:
    def opened_again() -> windrow.Database:
        db = windrow.connect(runner, "local[2]", tmp_path, driver_rows=0)
        db.execute("CREATE STREAM Bid (item INT)")
        db.execute(f"INSERT INTO 'tcp://127.0.0.1:{free_port}?patience=1' SELECT item FROM Bid")
        return db

    receiver = Receiver(free_port)
    with opened_again() as db:
        receiver.accept()
        push(db, 1)
        db.run_until_idle()
        assert receiver.line().endswith(",1\n")
        receiver.die()
        push(db, 2)
        with pytest.raises(SinkError) as failure:
            db.run_until_idle()
        assert failure.value.message == (
            f"tcp://127.0.0.1:{free_port} cannot be reached for 1 s: Connection refused"
        )
        receiver = Receiver(free_port)
        db.run_until_idle()
        receiver.accept()
        assert receiver.line().endswith(",2\n")
        receiver.die()
        push(db, 3)
        with pytest.raises(SinkError):
            db.run_until_idle()
    receiver = Receiver(free_port)
    with opened_again() as db:
        receiver.accept()
        push(db, 4)
        db.run_until_idle()
        assert [receiver.line()[-2], receiver.line()[-2]] == ["3", "4"]
    receiver.die()
