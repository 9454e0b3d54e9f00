"""A disk that is full: it is said where, what was accepted is kept, and with room it goes on."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Literal

import pyarrow.dataset as ds
import pytest

import windrow as package
from tests.faults.conftest import Family, Room, Start, eventually, listens
from windrow.database import Database
from windrow.errors import CheckpointError, Error, SinkError, SourceError

Runner = Literal["inline", "spark"]
RUNNERS = pytest.mark.parametrize("runner", ["inline", pytest.param("spark", marks=pytest.mark.spark)])
LARGE = 400_000
"""So many rows do not fit on the disk, in a log or in a file."""


def items(folder: Path) -> list[int]:
    found: list[int] = ds.dataset(folder, format="parquet").to_table()["item"].to_pylist()
    return sorted(found)


def push(db: Database, *numbers: int) -> None:
    db.push("Bid", [(number,) for number in numbers])


def room_made(disk: Room, runs: Callable[[], object]) -> Error:
    """What it fails of on the full disk."""
    disk.fill()
    with pytest.raises(Error) as failure:
        runs()
    disk.clear()
    return failure.value


def stopped_by_a_full_disk(disk: Room, db: Database, numbers: Iterator[int]) -> tuple[Error, int]:
    """What it fails of when there is no room for what it makes of the next number; and that number.

    Spark, which runs all the time, may be done with a number before the disk is full: then the one after.
    """
    for number in numbers:
        push(db, number)
        disk.fill()
        try:
            db.run_until_idle()
        except Error as error:
            return error, number
        finally:
            disk.clear()
    raise AssertionError("numbers never end")


@RUNNERS
def test_no_room_for_the_sink(runner: Runner, tmp_path: Path, small_disk: Room) -> None:
    def opened() -> Database:
        db = package.connect(runner, "local[2]", tmp_path / "kept", driver_rows=0)
        db.execute("CREATE STREAM Bid (item INT)")
        db.execute(f"INSERT INTO 'file://{small_disk.path}/out?format=parquet' SELECT item FROM Bid")
        return db

    with opened() as db:
        push(db, 1, 2)
        db.run_until_idle()
        numbers = count(3)
        error, last = stopped_by_a_full_disk(small_disk, db, numbers)
        assert isinstance(error, SinkError)
        assert error.message.startswith(f"cannot write {small_disk.path}/out/.windrow/part-")
        assert error.message.endswith(": No space left on device")
        assert (
            error.hint == "the disk is full: free some space; the batch is written when the query runs on"
        )
        db.run_until_idle()
        assert items(small_disk.path / "out") == list(range(1, last + 1))
        _, last = stopped_by_a_full_disk(small_disk, db, numbers)
    with opened() as db:
        push(db, last + 1)
        db.run_until_idle()
    assert items(small_disk.path / "out") == list(range(1, last + 2))
    assert list((small_disk.path / "out" / ".windrow").glob("part-*")) == []


@RUNNERS
def test_no_room_for_the_checkpoint(runner: Runner, tmp_path: Path, small_disk: Room) -> None:
    def opened() -> Database:
        db = package.connect(runner, "local[2]", small_disk.path / "kept", driver_rows=0)
        db.execute("CREATE STREAM Bid (item INT)")
        db.execute(f"INSERT INTO 'file://{tmp_path}/out?format=parquet' SELECT item FROM Bid")
        return db

    with opened() as db:
        push(db, 1, 2)
        db.run_until_idle()
        numbers = count(3)
        error, last = stopped_by_a_full_disk(small_disk, db, numbers)
        assert "No space left on device" in error.message
        db.run_until_idle()
        assert items(tmp_path / "out") == list(range(1, last + 1))
        _, last = stopped_by_a_full_disk(small_disk, db, numbers)
    with opened() as db:
        push(db, last + 1)
        db.run_until_idle()
    assert items(tmp_path / "out") == list(range(1, last + 2))


def test_no_room_for_what_is_pushed(small_disk: Room) -> None:
    with package.connect("inline", checkpoint=small_disk.path / "kept") as db:
        db.execute("CREATE STREAM Bid (item INT)")
        query = db.query("SELECT item FROM Bid")
        push(db, 1)
        error = room_made(small_disk, lambda: push(db, *range(LARGE)))
        assert isinstance(error, SourceError)
        assert error.message == "the stream log bid-1 cannot be written: No space left on device"
        assert error.hint == "make room on the checkpoint's disk; nothing that was accepted is lost"
        push(db, 2)
        db.run_until_idle()
        assert query.answer().to_pydict() == {"item": [1, 2]}


def test_no_room_for_a_new_query(small_disk: Room) -> None:
    with package.connect("inline", checkpoint=small_disk.path / "kept") as db:
        db.execute("CREATE STREAM Bid (item INT)")
        error = room_made(small_disk, lambda: db.query("SELECT item FROM Bid"))
        assert isinstance(error, CheckpointError)
        assert error.hint == "make room on the checkpoint's disk, and see that you may write there"
        query = db.query("SELECT item FROM Bid")
        push(db, 1)
        db.run_until_idle()
        assert query.answer().to_pydict() == {"item": [1]}


def test_no_room_for_what_comes_from_files(tmp_path: Path, small_disk: Room) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    statements = f"""
        CREATE STREAM Bid (item INT) SOURCE 'file://{source}?format=csv';
        INSERT INTO 'file://{out}?format=parquet' SELECT item FROM Bid
    """
    with package.connect("inline", checkpoint=small_disk.path / "kept") as db:
        db.execute(statements)
        put(source / "1.csv", 0, 2)
        db.run_until_idle()
        put(source / "2.csv", 2, LARGE)
        error = room_made(small_disk, lambda: db.run(seconds=60))
        assert isinstance(error, SourceError)
        assert error.message == "the stream log bid-1 cannot be written: No space left on device"
        db.run_until_idle()
        assert items(out) == list(range(LARGE))
        put(source / "3.csv", LARGE, 2 * LARGE)
        room_made(small_disk, lambda: db.run(seconds=60))
    with package.connect("inline", checkpoint=small_disk.path / "kept") as db:
        db.execute(statements)
        db.run_until_idle()
    assert items(out) == list(range(2 * LARGE))


def put(target: Path, first: int, end: int) -> None:
    hidden = target.with_name(f".{target.name}")
    hidden.write_text("".join(f"{number}\n" for number in range(first, end)))
    hidden.rename(target)


def test_a_run_says_that_the_disk_is_full_and_a_second_one_goes_on(
    windrow: Start, tmp_path: Path, small_disk: Room, free_port: int
) -> None:
    script, out = tmp_path / "script.esl", tmp_path / "out"
    script.write_text(f"""
        CREATE STREAM Bid (item INT) SOURCE 'port{free_port}';
        INSERT INTO 'file://{out}?format=parquet' SELECT item FROM Bid;
    """)

    def run() -> Family:
        family = windrow(
            "run", str(script), "--runner", "inline", "--checkpoint", f"{small_disk.path}/kept"
        )
        family.until(lambda: listens(free_port), "it listens")
        return family

    full = run()
    with socket.create_connection(("127.0.0.1", free_port)) as client:
        client.sendall(b"1\n2\n")
        full.until(lambda: list(out.glob("part-*")), "the first come out")

        def ended_when_full() -> bool:
            small_disk.fill()  # again, for a file that was replaced gave some room back
            with contextlib.suppress(OSError):
                client.sendall(b"3\n")
            return full.process.poll() is not None

        eventually(ended_when_full, "the run ends")
    assert full.wait() == 2, full.said
    said = full.said.splitlines()[-2:]
    assert said[0].startswith("error: ")
    assert said[0].endswith(" cannot be written: No space left on device")
    assert said[1].startswith("hint: make room on the checkpoint's disk")
    small_disk.clear()
    second = run()
    with socket.create_connection(("127.0.0.1", free_port)) as client:
        client.sendall(b"4\n")
        second.until(lambda: 4 in items(out), "the last comes out")
    second.interrupt()
    assert second.wait() == 130
    assert set(items(out)) >= {1, 2, 4}
    with package.connect("inline", checkpoint=small_disk.path / "kept") as db:
        (stream,) = db.metrics().streams
    assert stream.accepted == len(items(out))


def test_a_file_that_may_not_grow(windrow: Start, start: Start, tmp_path: Path) -> None:
    """The same without a disk of one's own: a limit to the size of files, ulimit -f."""
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    put(source / "1.csv", 0, LARGE)
    script = tmp_path / "script.esl"
    script.write_text(
        f"CREATE STREAM Bid (item INT) SOURCE 'file://{source}?format=csv';"
        f"INSERT INTO 'file://{out}?format=parquet' SELECT item FROM Bid;"
    )
    run = ("run", str(script), "--runner", "inline", "--until-idle", "--checkpoint", f"{tmp_path}/kept")
    limited = start("-c", LIMITED, *run)
    assert limited.wait() == 2, limited.said
    assert limited.said.splitlines()[-2:] == [
        "error: the stream log bid-1 cannot be written: File too large",
        "hint: make room on the checkpoint's disk; nothing that was accepted is lost",
    ]
    free = windrow(*run)
    assert free.wait() == 0, free.said
    assert items(out) == list(range(LARGE))


LIMITED = """
import resource
from windrow.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, resource.RLIM_INFINITY))
main()
"""
