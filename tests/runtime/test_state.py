"""Operator state by batch: what a batch that is run again finds."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from windrow.buffers.parts import State
from windrow.errors import CheckpointError
from windrow.runtime.state import KEPT, NOTHING, FileState, MemoryState, StateStore


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> StateStore:
    return MemoryState() if request.param == "memory" else FileState(tmp_path / "q1-3" / "1" / "0")


def state(*numbers: int) -> State:
    return {"0.Step": pa.table({"number": pa.array(numbers, pa.int64())})}


def numbers(found: State) -> dict[str, list[int | None]]:
    return {name: table.column("number").to_pylist() for name, table in found.items()}


def load(store: StateStore, before: int) -> State:
    version = store.newest(before)
    return {} if version == NOTHING else store.load(version)


def test_a_batch_finds_what_the_newest_before_it_left(store: StateStore) -> None:
    assert load(store, 1) == {}
    store.save(1, state(1, 2))
    store.save(4, state(3))
    assert numbers(load(store, 5)) == {"0.Step": [3]}
    assert numbers(load(store, 9)) == {"0.Step": [3]}


def test_a_batch_that_is_run_again_finds_what_it_found_before(store: StateStore) -> None:
    store.save(1, state(1))
    store.save(2, state(2))
    assert numbers(load(store, 2)) == {"0.Step": [1]}
    store.save(2, state(5))
    assert numbers(load(store, 3)) == {"0.Step": [5]}
    assert load(store, 1) == {}


def test_state_that_is_gone_is_not_found_again(store: StateStore) -> None:
    store.save(1, state(1))
    store.save(2, {})
    assert load(store, 3) == {}


def test_the_newest_versions_stay(store: StateStore) -> None:
    for batch in range(1, 10):
        store.save(batch, state(batch))
    found = [numbers(load(store, batch + 1)).get("0.Step") for batch in range(1, 10)]
    assert found == [None] * (9 - KEPT) + [[batch] for batch in range(10 - KEPT, 10)]


def test_a_write_that_was_cut_off_is_not_found(tmp_path: Path) -> None:
    store = FileState(tmp_path)
    store.save(1, state(1))
    (tmp_path / "2-0.arrow").write_bytes(b"whole, but in no manifest")
    (tmp_path / ".torn.tmp").write_bytes(b"torn")
    assert numbers(load(store, 2)) == {"0.Step": [1]}
    store.save(2, state(2))
    assert numbers(load(store, 3)) == {"0.Step": [2]}
    for batch in range(3, 9):
        store.save(batch, state(batch))
    files = [f"{batch}{end}" for batch in (6, 7, 8) for end in ("-0.arrow", ".json")]
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".tmp") == sorted(files)


def test_a_part_that_has_not_changed_is_not_written_again(tmp_path: Path) -> None:
    store = FileState(tmp_path)
    large, small = pa.table({"number": [1, 2]}), pa.table({"number": [3]})
    store.save(1, {"large": large, "small": small})
    for batch in range(2, 9):
        store.save(batch, {"large": large, "small": pa.table({"number": [batch]})})
    kept = sorted(path.name for path in tmp_path.glob("*.arrow"))
    assert kept == ["1-0.arrow", "6-1.arrow", "7-1.arrow", "8-1.arrow"]
    again = FileState(tmp_path)
    found = again.load(8)
    assert numbers(found) == {"large": [1, 2], "small": [8]}
    again.save(9, found)
    assert not list(tmp_path.glob("9-*.arrow"))


def test_a_damaged_part_is_told_by_its_name(tmp_path: Path) -> None:
    store = FileState(tmp_path)
    store.save(1, state(1))
    part = tmp_path / "1-0.arrow"
    content = bytearray(part.read_bytes())
    for damaged in (
        b"rubbish",
        bytes(content[:-100]),
        bytes([*content[:99], content[99] ^ 1, *content[100:]]),
    ):
        part.write_bytes(damaged)
        with pytest.raises(CheckpointError, match=r"1-0\.arrow: a file of the checkpoint is damaged"):
            store.load(1)
    part.unlink()
    with pytest.raises(CheckpointError, match=r"1-0\.arrow: a file of the checkpoint is missing"):
        store.load(1)


def test_another_process_finds_it(tmp_path: Path) -> None:
    FileState(tmp_path).save(3, state(7, 8))
    assert numbers(load(FileState(tmp_path), 4)) == {"0.Step": [7, 8]}
