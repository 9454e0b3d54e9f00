from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from windrow.catalog import Stream
from windrow.schema import Schema
from windrow.sources.formats.parquet import ParquetReader
from windrow.sources.formats.pieces import Unreadable

STREAM = Stream("bids", Schema.of(("item", "INTEGER"), ("name", "VARCHAR"), ("at", "TIMESTAMP")))
NOON = datetime(2024, 1, 1, 12)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bids.parquet"


def columns(items: object, names: object, times: object, **others: object) -> pa.Table:
    return pa.table({"item": items, "name": names, "at": times, **others})


def test_columns_are_found_by_name_and_cast(path: Path) -> None:
    times = pa.array([NOON, NOON], pa.timestamp("ms"))
    names = pa.array(["a", "b"]).dictionary_encode()
    table = pa.table({"AT": times, "other": [0, 0], "Name": names, "item": ["1", "2"]})
    pq.write_table(table, path)
    (piece,) = ParquetReader(STREAM).read(path, 0)
    assert piece.rows.schema == STREAM.schema.arrow
    assert piece.rows.to_pylist() == [{"item": n, "name": t, "at": NOON} for n, t in ((1, "a"), (2, "b"))]
    assert (piece.rejected, piece.at) == ([], 2)


def test_a_time_with_a_zone_becomes_its_utc_time(path: Path) -> None:
    times = pa.array([NOON], pa.timestamp("us", "UTC")).cast(pa.timestamp("us", "Asia/Tokyo"))
    pq.write_table(columns([1], ["a"], times), path)
    (piece,) = ParquetReader(STREAM).read(path, 0)
    assert piece.rows["at"].to_pylist() == [NOON]


def test_values_that_do_not_cast_are_rejected_row_by_row(path: Path) -> None:
    pq.write_table(columns(["1", "x", None], ["a", "b", "c"], ["2024-01-01", None, "never"]), path)
    (piece,) = ParquetReader(STREAM).read(path, 0)
    assert piece.rows["name"].to_pylist() == ["a"]
    assert piece.rejected == [
        ('{"item": "x", "name": "b", "at": null}', "column item: 'x' is not INTEGER"),
        ('{"item": null, "name": "c", "at": "never"}', "column at: 'never' is not TIMESTAMP"),
    ]


def test_text_that_is_not_utf8_is_rejected_row_by_row(path: Path) -> None:
    raw = pa.array([b"good", b"b\xffd", None])
    names = pa.Array.from_buffers(pa.string(), 3, raw.buffers())
    pq.write_table(columns([1, 2, 3], names, pa.nulls(3, pa.timestamp("us"))), path)
    (piece,) = ParquetReader(STREAM).read(path, 0)
    assert piece.rows["item"].to_pylist() == [1, 3]
    assert piece.rejected == [("b�d", "column name is not valid UTF-8")]


@pytest.mark.parametrize("piece_bytes", [1, 100, 1 << 20])
def test_reading_on_from_the_end_of_any_piece_gives_the_rest(path: Path, piece_bytes: int) -> None:
    table = columns(np.arange(20), ["x"] * 20, pa.nulls(20, pa.timestamp("us")))
    pq.write_table(table, path, row_group_size=6)
    reader = ParquetReader(STREAM, piece_bytes)
    places = [0, *(piece.at for piece in reader.read(path, 0))]
    assert all(a < b for a, b in pairwise(places))
    for place in places:
        rest = [item for piece in reader.read(path, place) for item in piece.rows["item"].to_pylist()]
        assert rest == list(range(place, 20))


def test_a_missing_column_makes_the_file_unreadable(path: Path) -> None:
    pq.write_table(pa.table({"item": [1], "nom": ["a"]}), path)
    with pytest.raises(Unreadable, match="the file has no column name: its columns are item, nom"):
        list(ParquetReader(STREAM).read(path, 0))


@pytest.mark.parametrize("content", [b"", b"hello", b"PAR1" * 10])
def test_a_file_that_is_not_parquet_is_unreadable(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises((Unreadable, OSError)):
        list(ParquetReader(STREAM).read(path, 0))


def test_damage_within_a_file_is_found(path: Path) -> None:
    rows = 10_000
    pq.write_table(columns(np.arange(rows), ["x"] * rows, pa.nulls(rows, pa.timestamp("us"))), path)
    content = bytearray(path.read_bytes())
    content[4:2000] = bytes(1996)
    path.write_bytes(content)
    with pytest.raises((Unreadable, OSError)):
        list(ParquetReader(STREAM).read(path, 0))


def test_an_empty_file_has_no_pieces(path: Path) -> None:
    pq.write_table(STREAM.schema.arrow.empty_table(), path)
    assert sum(len(piece.rows) for piece in ParquetReader(STREAM).read(path, 0)) == 0
