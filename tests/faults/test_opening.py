"""What cannot be opened is told in a sentence with a hint, and harms nobody else."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest

import windrow as package
from tests.faults.conftest import Room, Start
from windrow.errors import CheckpointError, SourceError

STEADY = "CREATE STREAM Tick (value BIGINT) SOURCE 'rate://100';"
COUNTED = "SELECT value FROM Tick"


def script(folder: Path, text: str, name: str = "script.esl") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def refused(start: Start, *arguments: str) -> str:
    """What the command says when it ends with an error that it meant."""
    family = start(*arguments, "--runner", "inline", "--until-idle")
    assert family.wait() == 2, family.said
    assert family.temporary_files == []
    return family.said


def test_a_port_that_is_taken(windrow: Start, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        path = script(tmp_path, f"CREATE STREAM Bid (item INT) SOURCE 'port{port}'; SELECT item FROM Bid;")
        assert refused(windrow, "run", path) == (
            "stream Bid created\n"
            f"error: cannot listen on 127.0.0.1:{port}: Address already in use\n"
            f"hint: stop what listens there (`ss -ltnp sport = :{port}` names it), or take another port\n"
        )


def test_a_directory_that_is_missing(windrow: Start, tmp_path: Path) -> None:
    source = f"file://{tmp_path}/nowhere/at/all?format=csv"
    path = script(tmp_path, f"CREATE STREAM Bid (item INT) SOURCE '{source}'; SELECT item FROM Bid;")
    assert refused(windrow, "run", path) == (
        "stream Bid created\n"
        f"error: there is no file or directory {tmp_path}/nowhere/at/all\n"
        f"hint: {tmp_path} exists; create the rest of the path, or mend it\n"
    )


def test_a_source_that_can_be_opened_later_is_opened_later(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    with package.connect("inline", checkpoint=tmp_path / "kept") as db:
        db.execute(f"CREATE STREAM Bid (item INT) SOURCE 'file://{folder}?format=csv'")
        query = db.query("SELECT item FROM Bid")
        with pytest.raises(SourceError, match="there is no file or directory"):
            db.run_until_idle()
        folder.mkdir()
        (folder / "a.csv").write_text("1\n2\n")
        db.run_until_idle()
        assert query.answer().to_pydict() == {"item": [1, 2]}


def test_a_second_process_on_a_checkpoint(windrow: Start, tmp_path: Path) -> None:
    path, kept = script(tmp_path, f"{STEADY} {COUNTED};"), tmp_path / "kept"
    first = windrow("run", path, "--runner", "inline", "--checkpoint", str(kept))
    first.until(lambda: "+I" in first.said, "it runs")
    second = windrow("run", path, "--runner", "inline", "--checkpoint", str(kept))
    assert second.wait() == 2
    assert second.said == (
        f"error: the checkpoint {kept} is in use by process {first.process.pid}\n"
        "hint: end that process, or name another checkpoint\n"
    )
    seen = len(first.said)
    first.until(lambda: len(first.said) > seen, "it runs on")
    first.interrupt()
    assert first.wait() == 130


def test_a_checkpoint_under_a_file(windrow: Start, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    path = script(tmp_path, f"{STEADY} {COUNTED};")
    assert refused(windrow, "run", path, "--checkpoint", f"{tmp_path}/file/kept") == (
        f"error: the checkpoint {tmp_path}/file/kept cannot be used: Not a directory\n"
        "hint: name a folder on a disk that has room, and that you may write to\n"
    )


def test_a_checkpoint_on_a_disk_that_is_read_only(windrow: Start, tmp_path: Path, small_disk: Room) -> None:
    disk = small_disk.path
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    path = script(tmp_path, f"{STEADY} {COUNTED};")
    assert refused(windrow, "run", path, "--checkpoint", f"{disk}/kept") == (
        f"error: the checkpoint {disk}/kept cannot be used: Read-only file system\n"
        "hint: name a folder on a disk that has room, and that you may write to\n"
    )


def test_a_checkpoint_on_a_full_disk(windrow: Start, tmp_path: Path, small_disk: Room) -> None:
    small_disk.fill()
    path = script(tmp_path, f"{STEADY} {COUNTED};")
    assert refused(windrow, "run", path, "--checkpoint", f"{small_disk.path}/kept") == (
        f"error: the checkpoint {small_disk.path}/kept cannot be used: No space left on device\n"
        "hint: name a folder on a disk that has room, and that you may write to\n"
    )


class TestAnotherScript:
    """A script is refused before anything of it is carried out, so the first script still runs."""

    ONE = "CREATE STREAM Bid (item INT); INSERT INTO 'file://{out}' SELECT item FROM Bid;"

    def run(self, windrow: Start, folder: Path, text: str) -> tuple[int, str]:
        text = text.replace("{out}", str(folder / "out"))
        family = windrow(
            "run", script(folder, text), "--runner", "inline", "--until-idle",
            "--checkpoint", str(folder / "kept"),
        )  # fmt: skip
        return family.wait(), family.said

    def check_refused(self, windrow: Start, folder: Path, text: str, told: str) -> None:
        assert self.run(windrow, folder, self.ONE)[0] == 0
        programs = sorted(path.name for path in (folder / "kept" / "programs").iterdir())
        told = told.replace("{out}", str(folder / "out"))
        assert self.run(windrow, folder, text) == (2, told)
        assert sorted(path.name for path in (folder / "kept" / "programs").iterdir()) == programs
        assert self.run(windrow, folder, self.ONE)[0] == 0

    def test_that_lacks_a_query(self, windrow: Start, tmp_path: Path) -> None:
        self.check_refused(
            windrow,
            tmp_path,
            "CREATE STREAM Ask (item INT); CREATE STREAM Bid (item INT); SELECT item FROM Ask;",
            "error: the checkpoint is of another script: it runs a query that this one lacks\n"
            "INSERT INTO 'file://{out}' SELECT item FROM Bid\n"
            "hint: name another checkpoint, or write DROP QUERY IF EXISTS q1 into the script\n",
        )

    def test_with_another_sink(self, windrow: Start, tmp_path: Path) -> None:
        self.check_refused(
            windrow,
            tmp_path,
            "CREATE STREAM Bid (item INT); INSERT INTO 'file://{out}2' SELECT item FROM Bid;",
            "error: the checkpoint is of another script: it runs a query that this one lacks\n"
            "INSERT INTO 'file://{out}' SELECT item FROM Bid\n"
            "hint: name another checkpoint, or write DROP QUERY IF EXISTS q1 into the script\n",
        )

    def test_with_another_definition(self, windrow: Start, tmp_path: Path) -> None:
        self.check_refused(
            windrow,
            tmp_path,
            "CREATE STREAM Ask (item INT); CREATE STREAM Bid (item BIGINT);"
            "INSERT INTO 'file://{out}' SELECT item FROM Bid;",
            "error: the checkpoint is of another script: there Bid is\n"
            "CREATE STREAM Bid (item INT)\n"
            "hint: name another checkpoint, or drop it there first\n",
        )

    def test_that_drops_what_it_lacks_is_taken(self, windrow: Start, tmp_path: Path) -> None:
        assert self.run(windrow, tmp_path, self.ONE)[0] == 0
        new = (
            "DROP QUERY IF EXISTS q1; DROP STREAM IF EXISTS Bid; CREATE STREAM Bid (item BIGINT);"
            "CREATE QUERY dear AS SELECT item FROM Bid WHERE item > 1;"
        )
        for _ in range(2):
            code, said = self.run(windrow, tmp_path, new)
            assert code == 0, said
            new = new.removeprefix("DROP QUERY IF EXISTS q1; DROP STREAM IF EXISTS Bid;")

    def test_that_has_a_query_more_is_taken(self, windrow: Start, tmp_path: Path) -> None:
        assert self.run(windrow, tmp_path, self.ONE)[0] == 0
        for _ in range(2):
            code, said = self.run(windrow, tmp_path, f"{self.ONE} SELECT item + 1 AS next FROM Bid;")
            assert code == 0, said


def test_a_program_that_defines_a_stream_otherwise(tmp_path: Path) -> None:
    with package.connect("inline", checkpoint=tmp_path) as db:
        db.execute("CREATE STREAM Bid (item INT)")
    other = pytest.raises(CheckpointError, match="the checkpoint is of another script: there Bid is")
    with package.connect("inline", checkpoint=tmp_path) as db, other:
        db.execute("CREATE STREAM Bid (item BIGINT)")
