"""One process a checkpoint; what is damaged, of another format or cannot be written is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from windrow.errors import CheckpointError
from windrow.runtime.checkpoint import Checkpoint, read_json, write_atomically, write_json

_HOLD = (
    "import sys; from windrow.runtime.checkpoint import Checkpoint;"
    " held = Checkpoint(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
)


def test_a_second_process_on_the_same_checkpoint_is_told_who_holds_it(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(CheckpointError) as refused:
            Checkpoint(tmp_path)
        assert refused.value.message == f"the checkpoint {tmp_path} is in use by process {holder.pid}"
        assert refused.value.hint == "end that process, or name another checkpoint"
        holder.kill()
    Checkpoint(tmp_path).close()


def test_it_is_held_against_the_same_process_too(tmp_path: Path) -> None:
    held = Checkpoint(tmp_path)
    with pytest.raises(CheckpointError, match=f"is in use by process {os.getpid()}"):
        Checkpoint(tmp_path)
    held.close()
    Checkpoint(tmp_path).close()


def test_another_format_is_refused_and_the_checkpoint_let_go(tmp_path: Path) -> None:
    Checkpoint(tmp_path).close()
    (tmp_path / "format").write_text("7\n")
    for _ in range(2):
        with pytest.raises(CheckpointError) as refused:
            Checkpoint(tmp_path)
        assert refused.value.message == (
            f"the checkpoint {tmp_path} has format 7; this windrow writes format 3"
        )


def test_a_choice_is_kept(tmp_path: Path) -> None:
    first = Checkpoint(tmp_path)
    assert first.keep("buckets", "4") == "4"
    first.close()
    second = Checkpoint(tmp_path)
    assert second.keep("buckets", "8") == "4"
    second.close()


@pytest.mark.parametrize("content", [b"", b'{"done": {', b"\xff\xfe"])
def test_damaged_json_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "inline.json").write_bytes(content)
    with pytest.raises(CheckpointError) as refused:
        read_json(tmp_path / "inline.json")
    assert refused.value.message == "inline.json: a file of the checkpoint is damaged"
    assert refused.value.hint == "restore the checkpoint from a copy, or start with a new one"


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError) as refused:
        read_json(tmp_path / "00000003.json")
    assert refused.value.message == (
        "00000003.json: a file of the checkpoint cannot be read: No such file or directory"
    )


def test_a_folder_that_cannot_be_one_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckpointError) as refused:
        Checkpoint(tmp_path / "file" / "inside")
    assert refused.value.message == (
        f"the checkpoint {tmp_path}/file/inside cannot be used: Not a directory"
    )


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_json(tmp_path / "a" / "b.json", {"é": [1, None]})
    assert read_json(tmp_path / "a" / "b.json") == {"é": [1, None]}


def test_a_write_that_fails_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    with pytest.raises(
        CheckpointError, match="there: a file of the checkpoint cannot be written: Is a dir"
    ):
        write_atomically(folder, b"x")
    assert list(tmp_path.iterdir()) == [folder]


def test_one_without_a_path_ends_with_its_owner() -> None:
    passing = Checkpoint(None)
    assert passing.path.is_dir()
    assert not passing.lasting
    passing.close()
    assert not passing.path.exists()
