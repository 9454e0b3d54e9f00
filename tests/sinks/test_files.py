"""The file sink: what it writes, what it leaves, and what it does when the disk says no."""

from __future__ import annotations

import json
import os
import pickle
import resource
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.delta import Delta
from windrow.errors import SinkError
from windrow.schema import Schema
from windrow.sinks.changelog import Changelog
from windrow.sinks.files import DirectorySink

SCHEMA = Schema.of(("id", "BIGINT"), ("name", "VARCHAR"))
FORMATS = ["parquet", "csv", "json"]
TYPES = [
    *(
        "BOOLEAN",
        "UTINYINT",
        "HUGEINT",
        "DECIMAL(9, 2)",
        "FLOAT",
        "VARCHAR",
        "BLOB",
        "UUID",
        "ENUM('a', 'b')",
    ),
    *("DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_NS"),
    *("INTEGER[]", "STRUCT(a INTEGER)", "MAP(VARCHAR, INT)"),
]


def delta_of(ids: Sequence[int], signs: Sequence[int] | None = None) -> Delta:
    names = [None if i % 3 == 0 else f'n"{i}",\né' for i in ids]
    rows = pa.table([pa.array(ids, pa.int64()), pa.array(names, pa.string())], schema=SCHEMA.arrow)
    sign = None if signs is None else np.array(signs, np.int8)
    return Delta(9, rows, np.arange(len(ids)), sign=sign)


@pytest.fixture
def sink(tmp_path: Path) -> Iterator[DirectorySink]:
    sink = DirectorySink(tmp_path / "out", "parquet")
    sink.open(SCHEMA)
    yield sink
    sink.close()


def ids_in(directory: Path) -> list[int]:
    return [
        i for path in sorted(directory.glob("*.parquet")) for i in pq.read_table(path)["id"].to_pylist()
    ]


def temporaries_in(directory: Path) -> list[Path]:
    return list((directory / ".windrow").glob("part-*"))


@pytest.mark.parametrize("form", FORMATS)
def test_each_format_holds_the_columns_as_duckdb_reads_them(form: str, tmp_path: Path) -> None:
    target = tmp_path / "not" / "there" / "yet"
    sink = DirectorySink(target, form)
    sink.open(SCHEMA)
    sink.write(0, delta_of([1, 2, 3]))
    sink.write(1, delta_of([]))
    sink.write(2, delta_of([4]))
    sink.close()
    assert sorted(path.name for path in target.glob("[!.]*")) == [
        f"part-000000000-0000.{form}",
        f"part-000000002-0000.{form}",
    ]
    found = duckdb.sql(f"SELECT id, name FROM '{target}/*.{form}' ORDER BY id").fetchall()
    assert found == [(1, 'n"1",\né'), (2, 'n"2",\né'), (3, None), (4, 'n"4",\né')]


@pytest.mark.parametrize(
    ("style", "column", "values"), [("op", "op", ["+I", "-D"]), ("diff", "change", [1, -1])]
)
def test_what_is_taken_back_has_its_operation_and_instant_first(
    style: str, column: str, values: list[object], tmp_path: Path
) -> None:
    sink = DirectorySink(tmp_path, "parquet", Changelog(style))
    sink.open(SCHEMA)
    sink.write(0, delta_of([1, 1], [1, -1]))
    sink.close()
    written = pq.read_table(tmp_path / "part-000000000-0000.parquet")
    assert written.column_names == [column, "ts", "id", "name"]
    assert written[column].to_pylist() == values


def test_json_is_lines_of_objects(tmp_path: Path) -> None:
    sink = DirectorySink(tmp_path, "json")
    sink.open(SCHEMA)
    sink.write(0, delta_of([1]))
    sink.close()
    lines = (tmp_path / "part-000000000-0000.json").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [{"id": 1, "name": 'n"1",\né'}]


def test_a_batch_without_tuples_writes_no_file(sink: DirectorySink, tmp_path: Path) -> None:
    assert sink.write_part(0, 0, delta_of([])) is None
    sink.commit(0, [])
    assert list((tmp_path / "out").glob("[!.]*")) == []


def test_a_worker_gets_the_sink_by_pickle(sink: DirectorySink, tmp_path: Path) -> None:
    worker: DirectorySink = pickle.loads(pickle.dumps(sink))
    parts = [worker.write_part(0, n, delta_of([n])) for n in range(3)]
    assert ids_in(tmp_path / "out") == []
    sink.commit(0, [part for part in parts if part is not None])
    assert ids_in(tmp_path / "out") == [0, 1, 2]
    assert temporaries_in(tmp_path / "out") == []


def test_what_earlier_attempts_left_is_removed(tmp_path: Path) -> None:
    """Batch 1 dies once before its commit and once in the middle of it, with the rows cut otherwise."""
    target = tmp_path / "out"
    first = DirectorySink(target, "parquet")
    first.open(SCHEMA)
    first.write(0, delta_of([0]))
    first.write_part(1, 0, delta_of([1, 2, 3, 4]))
    torn = [first.write_part(1, n, delta_of(ids)) for n, ids in enumerate(([1], [2], [3, 4]))]
    assert torn[0] is not None
    assert torn[2] is not None
    torn[0].written.replace(target / torn[0].name)
    torn[2].written.replace(target / torn[2].name)
    first.close()
    second = DirectorySink(target, "parquet")
    second.open(SCHEMA)
    parts = [second.write_part(1, n, delta_of(ids)) for n, ids in enumerate(([1, 2], [3, 4]))]
    second.commit(1, [part for part in parts if part is not None])
    second.close()
    assert ids_in(target) == [0, 1, 2, 3, 4]
    assert temporaries_in(target) == []


def test_a_commit_given_again_changes_nothing(sink: DirectorySink, tmp_path: Path) -> None:
    part = sink.write_part(0, 0, delta_of([1, 2]))
    assert part is not None
    for _ in range(2):
        sink.commit(0, [part])
    assert ids_in(tmp_path / "out") == [1, 2]


def test_a_part_that_vanished_before_its_commit_is_an_error(sink: DirectorySink) -> None:
    part = sink.write_part(0, 0, delta_of([1]))
    assert part is not None
    part.written.unlink()
    with pytest.raises(SinkError, match=r"its temporary file .* is gone"):
        sink.commit(0, [part])


class Died(BaseException):
    """The process ends here: nothing after it runs."""


@settings(deadline=None)
@given(st.lists(st.integers(0, 12), max_size=6), st.data())
def test_every_tuple_is_there_once_wherever_the_process_dies(
    tmp_path_factory: pytest.TempPathFactory, deaths: list[int], data: st.DataObject
) -> None:
    """Each attempt makes so many steps before it dies, cuts the batch its own way, then runs on."""
    target = tmp_path_factory.mktemp("out")
    deaths = list(deaths)
    for batch in range(3):
        ids = list(range(10 * batch, 10 * batch + 7))
        while True:
            cut = data.draw(st.integers(0, 7))
            try:
                _attempt(target, batch, [ids[:cut], ids[cut:]], deaths.pop() if deaths else None)
                break
            except Died:
                continue
    assert Counter(ids_in(target)) == Counter(i for b in range(3) for i in range(10 * b, 10 * b + 7))
    assert temporaries_in(target) == []


def _attempt(target: Path, batch: int, pieces: list[list[int]], steps: int | None) -> None:
    sink = DirectorySink(target, "parquet")
    sink.open(SCHEMA)
    try:
        parts = []
        for number, ids in enumerate(pieces):
            steps = _step(steps)
            parts.append(sink.write_part(batch, number, delta_of(ids)))
        written = [part for part in parts if part is not None]
        for part in written:
            if steps is not None:
                steps = _step(steps)
                part.written.replace(target / part.name)
        _step(steps)
        sink.commit(batch, written)
        _step(steps, after_all=True)
    finally:
        sink.close()


def _step(steps: int | None, *, after_all: bool = False) -> int | None:
    if steps is None:
        return None
    if steps == 0 or after_all:
        raise Died
    return steps - 1


@pytest.mark.usefixtures("sink")
def test_two_queries_cannot_write_to_one_directory(tmp_path: Path) -> None:
    with pytest.raises(SinkError, match="another running query writes to"):
        DirectorySink(tmp_path / "out", "csv").open(SCHEMA)


def test_the_results_of_another_run_are_not_overwritten(tmp_path: Path) -> None:
    def run(owner: str, batch: int) -> None:
        sink = DirectorySink(tmp_path, "parquet", owner=owner)
        sink.open(SCHEMA)
        try:
            sink.write(batch, delta_of([batch]))
        finally:
            sink.close()

    run("one", 0)
    run("one", 1)
    with pytest.raises(SinkError, match="holds the results of another run"):
        run("two", 0)
    assert ids_in(tmp_path) == [0, 1]
    for path in tmp_path.glob("*.parquet"):
        path.unlink()
    run("two", 0)
    assert ids_in(tmp_path) == [0]


def test_a_type_that_the_format_lacks_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    schema = Schema.of(("id", "BIGINT"), ("wait", "INTERVAL"))
    with pytest.raises(
        SinkError, match=r"column wait cannot be written as parquet: it is of type INTERVAL"
    ):
        DirectorySink(tmp_path / "out", "parquet").open(schema)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "type_",
    TYPES,
)
def test_every_format_takes_most_types(form: str, type_: str, tmp_path: Path) -> None:
    schema = Schema.of(("value", type_))
    sink = DirectorySink(tmp_path, form)
    sink.open(schema)
    rows = pa.table([pa.nulls(2, schema.arrow.field(0).type)], schema=schema.arrow)
    sink.write(0, Delta(9, rows, np.arange(2)))
    sink.close()
    if form != "csv":
        assert len(duckdb.sql(f"SELECT * FROM '{tmp_path}/*.{form}'").fetchall()) == 2


def test_a_path_through_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SinkError, match="hint: a part of the path is a file"):
        DirectorySink(tmp_path / "file" / "out", "csv").open(SCHEMA)
    with pytest.raises(SinkError, match="hint:"):
        DirectorySink(tmp_path / "file", "csv").open(SCHEMA)


@pytest.fixture
def nobody(tmp_path: Path) -> Iterator[Path]:
    """Root may write everywhere, so for a while it is somebody else."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    else:
        tmp_path.chmod(0o500)
    yield tmp_path
    os.seteuid(before)


def test_a_directory_that_may_not_be_written_is_refused(nobody: Path) -> None:
    with pytest.raises(SinkError, match="give this user the right to write there"):
        DirectorySink(nobody / "out", "csv").open(SCHEMA)


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_that_may_not_grow_fails_its_batch_and_leaves_nothing(form: str, tmp_path: Path) -> None:
    sink = DirectorySink(tmp_path, form)
    sink.open(SCHEMA)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises(SinkError, match="hint: a file may not grow so large"):
            sink.write(0, delta_of(range(100_000)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert temporaries_in(tmp_path) == []
    sink.write(0, delta_of([1]))
    sink.close()
    assert len(list(tmp_path.glob("part-*"))) == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    where = tmp_path / "disk"
    where.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=512k", "windrow-test", str(where)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk needs root")
    yield where
    subprocess.run(["umount", str(where)], check=True)


def test_a_full_disk_fails_the_batch_which_goes_through_once_there_is_space(small_disk: Path) -> None:
    filler = small_disk / "filler"
    filler.write_bytes(b"\0" * 200_000)
    sink = DirectorySink(small_disk / "out", "parquet")
    sink.open(SCHEMA)
    sink.write(0, delta_of(range(100)))
    big = delta_of(np.random.default_rng(1).integers(0, 2**62, 40_000).tolist())
    with pytest.raises(SinkError, match="hint: the disk is full"):
        sink.write(1, big)
    assert ids_in(small_disk / "out") == list(range(100))
    assert temporaries_in(small_disk / "out") == []
    filler.unlink()
    sink.write(1, delta_of(range(100, 200)))
    sink.close()
    assert ids_in(small_disk / "out") == list(range(200))
