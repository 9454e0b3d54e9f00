"""Operator state by batch: what a batch that is run again finds."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from windrow.runtime.state import KEPT, FileState, MemoryState, State, StateStore


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> StateStore:
    return MemoryState() if request.param == "memory" else FileState(tmp_path / "q1-3" / "1" / "0")


def state(*numbers: int) -> State:
    return {"0.Step": pa.table({"number": pa.array(numbers, pa.int64())})}


def numbers(found: State) -> dict[str, list[int | None]]:
    return {name: table.column("number").to_pylist() for name, table in found.items()}


def test_a_batch_finds_what_the_newest_before_it_left(store: StateStore) -> None:
    assert store.load(1) == {}
    store.save(1, state(1, 2))
    store.save(4, state(3))
    assert numbers(store.load(5)) == {"0.Step": [3]}
    assert numbers(store.load(9)) == {"0.Step": [3]}


def test_a_batch_that_is_run_again_finds_what_it_found_before(store: StateStore) -> None:
    store.save(1, state(1))
    store.save(2, state(2))
    assert numbers(store.load(2)) == {"0.Step": [1]}
    store.save(2, state(5))
    assert numbers(store.load(3)) == {"0.Step": [5]}
    assert store.load(1) == {}


def test_state_that_is_gone_is_not_found_again(store: StateStore) -> None:
    store.save(1, state(1))
    store.save(2, {})
    assert store.load(3) == {}


def test_the_newest_versions_stay(store: StateStore) -> None:
    for batch in range(1, 10):
        store.save(batch, state(batch))
    found = [numbers(store.load(batch + 1)).get("0.Step") for batch in range(1, 10)]
    assert found == [None] * (9 - KEPT) + [[batch] for batch in range(10 - KEPT, 10)]


def test_a_write_that_was_cut_off_is_not_found_by_its_batch(tmp_path: Path) -> None:
    store = FileState(tmp_path)
    store.save(1, state(1))
    (tmp_path / "2").mkdir()
    (tmp_path / "2" / ".torn.tmp").write_bytes(b"torn")
    assert numbers(store.load(2)) == {"0.Step": [1]}
    store.save(2, state(2))
    assert numbers(store.load(3)) == {"0.Step": [2]}
    for batch in range(3, 9):
        store.save(batch, state(batch))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["6", "7", "8"]


def test_another_process_finds_it(tmp_path: Path) -> None:
    FileState(tmp_path).save(3, state(7, 8))
    assert numbers(FileState(tmp_path).load(4)) == {"0.Step": [7, 8]}
