"""Operator state by batch: what a batch that is run again, or twice at once, finds."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from windrow.buffers.parts import State
from windrow.errors import CheckpointError
from windrow.runtime.state import KEPT, FileState, MemoryState, StateStore


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> StateStore:
    return MemoryState() if request.param == "memory" else opened(tmp_path)


def opened(directory: Path, run: str = "this run") -> FileState:
    return FileState(directory, run)


def state(*numbers: int) -> State:
    return {"0.Step": pa.table({"number": pa.array(numbers, pa.int64())})}


def numbers(found: State) -> dict[str, list[int | None]]:
    return {name: table.column("number").to_pylist() for name, table in found.items()}


def test_a_batch_finds_what_the_one_before_it_left(store: StateStore) -> None:
    store.save(1, state(1, 2))
    store.save(2, state(3))
    assert numbers(store.load(1)) == {"0.Step": [1, 2]}
    assert numbers(store.load(2)) == {"0.Step": [3]}


def test_a_batch_that_is_run_again_finds_what_it_found_before(store: StateStore) -> None:
    store.save(1, state(1))
    store.save(2, state(2))
    assert numbers(store.load(1)) == {"0.Step": [1]}
    store.save(2, state(5))
    assert numbers(store.load(2)) == {"0.Step": [5]}


def test_state_that_is_gone_is_not_found_again(store: StateStore) -> None:
    store.save(1, state(1))
    store.save(2, {})
    assert store.load(2) == {}


def test_the_newest_versions_stay(store: StateStore) -> None:
    for batch in range(1, 10):
        store.save(batch, state(batch))
    for batch in range(10 - KEPT, 10):
        assert numbers(store.load(batch)) == {"0.Step": [batch]}
    for batch in range(1, 10 - KEPT):
        with pytest.raises((CheckpointError, KeyError)):
            store.load(batch)


def test_a_write_that_was_cut_off_is_not_found(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.save(1, state(1))
    (tmp_path / "2-0.arrow").write_bytes(b"whole, but in no manifest")
    (tmp_path / ".torn.tmp").write_bytes(b"torn")
    assert numbers(store.load(1)) == {"0.Step": [1]}
    store.save(2, state(2))
    assert numbers(store.load(2)) == {"0.Step": [2]}
    for batch in range(3, 9):
        store.save(batch, state(batch))
    assert batches_of(tmp_path, "*.arrow") == batches_of(tmp_path, "*.json") == [6, 7, 8]


def batches_of(directory: Path, pattern: str) -> list[int]:
    """Of the files that there are, the batches that wrote them."""
    return sorted(int(path.stem.partition("-")[0]) for path in directory.glob(pattern))


def test_a_part_that_has_not_changed_is_not_written_again(tmp_path: Path) -> None:
    store = opened(tmp_path)
    large, small = pa.table({"number": [1, 2]}), pa.table({"number": [3]})
    store.save(1, {"large": large, "small": small})
    for batch in range(2, 9):
        store.save(batch, {"large": large, "small": pa.table({"number": [batch]})})
    assert batches_of(tmp_path, "*-0-*.arrow") == [1]
    assert batches_of(tmp_path, "*-1-*.arrow") == [6, 7, 8]
    again = opened(tmp_path)
    found = again.load(8)
    assert numbers(found) == {"large": [1, 2], "small": [8]}
    again.save(9, found)
    assert not list(tmp_path.glob("9-*.arrow"))


def test_a_damaged_part_is_told_by_its_name(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.save(1, state(1))
    (part,) = tmp_path.glob("1-0-*.arrow")
    content = bytearray(part.read_bytes())
    for damaged in (
        b"rubbish",
        bytes(content[:-100]),
        bytes([*content[:99], content[99] ^ 1, *content[100:]]),
    ):
        part.write_bytes(damaged)
        with pytest.raises(CheckpointError, match=rf"{part.name}: a file of the checkpoint is damaged"):
            store.load(1)
    part.unlink()
    with pytest.raises(CheckpointError, match=rf"{part.name}: a file of the checkpoint is missing"):
        store.load(1)


def test_another_process_finds_it(tmp_path: Path) -> None:
    opened(tmp_path).save(3, state(7, 8))
    assert numbers(opened(tmp_path).load(3)) == {"0.Step": [7, 8]}


def test_state_of_another_run_or_batch_is_refused(tmp_path: Path) -> None:
    opened(tmp_path, "another run").save(3, state(7))
    with pytest.raises(CheckpointError, match=r"3\.json: a file of the checkpoint is of another run"):
        opened(tmp_path).load(3)
    opened(tmp_path).save(4, state(8))
    (tmp_path / "4.json").replace(tmp_path / "5.json")
    with pytest.raises(CheckpointError, match=r"5\.json: a file of the checkpoint is of another run"):
        opened(tmp_path).load(5)


def test_a_manifest_that_is_missing_or_damaged_is_told(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for content in (None, b"{", b"[]", b'{"run": "this run", "batch": 1}'):
        if content is not None:
            (tmp_path / "1.json").write_bytes(content)
        with pytest.raises(CheckpointError, match=r"1\.json: a file of the checkpoint"):
            store.load(1)


def test_two_attempts_at_a_batch_leave_one_whole_version(tmp_path: Path) -> None:
    """Whichever comes first with which file; also where they cut the same state differently."""
    first, second = opened(tmp_path), opened(tmp_path)
    halves, whole = {"a": pa.table({"n": [1]}), "b": pa.table({"n": [2]})}, {"a": pa.table({"n": [1, 2]})}
    first.save(1, halves)
    second.save(1, whole)
    assert opened(tmp_path).load(1) == whole
    first.save(1, halves)
    assert opened(tmp_path).load(1) == halves
    second.save(2, whole)
    first.save(2, halves)
    assert opened(tmp_path).load(2) == halves


def test_an_attempt_that_nobody_waits_for_spoils_nothing(tmp_path: Path) -> None:
    late, prompt = opened(tmp_path), opened(tmp_path)
    for batch in range(1, 9):
        prompt.save(batch, state(batch))
    late.save(2, state(2))
    late.save(7, state(7))
    for batch in (6, 7, 8):
        assert numbers(opened(tmp_path).load(batch)) == {"0.Step": [batch]}
    prompt.save(9, state(9))
    assert batches_of(tmp_path, "*.json") == [7, 8, 9]


def test_a_damaged_version_that_nobody_needs_is_in_nobodys_way(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for batch in range(1, 4):
        store.save(batch, state(batch))
    (tmp_path / "2.json").write_bytes(b"rubbish")
    for batch in range(4, 9):
        store.save(batch, state(batch))
    assert batches_of(tmp_path, "*.arrow") == [6, 7, 8]
