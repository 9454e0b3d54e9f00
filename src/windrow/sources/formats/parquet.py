"""Parquet files, read in pieces; where a piece ends is a count of rows.

Columns are found by name whatever its case and cast by DuckDB's rules. Of a row group only a
piece at a time is decoded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from windrow.catalog import Stream
from windrow.sources.formats.base import Decoded, Rejected, shown
from windrow.sources.formats.cast import Caster
from windrow.sources.formats.lines import is_utf8
from windrow.sources.formats.pieces import PIECE_BYTES, PIECE_ROWS, FileReader, Piece, Unreadable

_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class RowsPiece(Piece):
    """Rows with the columns and types of `stream.arriving`."""

    rows: pa.Table


class ParquetReader(FileReader[RowsPiece]):
    """Columns that the stream does not have are not read."""

    def __init__(self, stream: Stream, piece_bytes: int = PIECE_BYTES) -> None:
        self._piece_bytes = piece_bytes
        self._schema = stream.arriving
        self._caster = Caster(self._schema)

    def read(self, path: Path, start: int) -> Iterator[RowsPiece]:
        raw: Any = os.fsencode(path)  # bytes, because a name need not be UTF-8
        try:
            with pa.OSFile(raw, "rb") as opened:
                file = pq.ParquetFile(opened, buffer_size=_BUFFER, coerce_int96_timestamp_unit="us")
                yield from self._pieces(file, start)
        except pa.ArrowException as error:
            raise Unreadable(f"not a readable Parquet file: {error}") from error

    def decode(self, pieces: Sequence[RowsPiece]) -> Decoded:
        rejected = [entry for piece in pieces for entry in piece.rejected]
        return Decoded(pa.concat_tables(piece.rows for piece in pieces), rejected)

    def _pieces(self, file: pq.ParquetFile, start: int) -> Iterator[RowsPiece]:
        found = self._find_columns(file.schema_arrow.names)
        at, groups = _from_row(file.metadata, start)
        rows = _piece_rows(file.metadata, self._piece_bytes)
        for batch in file.iter_batches(rows, row_groups=groups, columns=list(found.values())):
            passed_over = max(0, start - at)
            at += batch.num_rows
            if at > start:
                table = pa.Table.from_batches([batch.slice(passed_over)])
                yield self._piece(table.select(list(found.values())).rename_columns(list(found)), at)

    def _piece(self, given: pa.Table, at: int) -> RowsPiece:
        given, rejected = _valid(given)
        result = self._caster.cast(given)
        if result.failed:
            bad = given.take(result.failed).to_pylist()
            inputs = [shown(json.dumps(row, default=str, ensure_ascii=False)) for row in bad]
            rejected += zip(inputs, result.reasons, strict=True)
        return RowsPiece(rejected, at, result.rows.nbytes, result.rows)

    def _find_columns(self, names: list[str]) -> dict[str, str]:
        """For each column of the stream the file's name for it; the same spelling comes first."""
        found: dict[str, str] = {}
        for column in self._schema.names:
            alike = [name for name in names if name.lower() == column.lower()]
            if not alike:
                raise Unreadable(f"the file has no column {column}: its columns are {', '.join(names)}")
            found[column] = column if column in alike else alike[0]
        return found


def _valid(table: pa.Table) -> tuple[pa.Table, list[Rejected]]:
    """Without rows whose text is not UTF-8: Parquet does not check it, DuckDB dies of it."""
    if _is_valid(table):
        return table, []
    rejected: list[Rejected] = []
    good = np.ones(len(table), bool)
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            for number, text in enumerate(column.cast(pa.binary()).to_pylist()):
                if text is not None and good[number] and not is_utf8(text):
                    good[number] = False
                    rejected.append((shown(text), f"column {name} is not valid UTF-8"))
    table = table.filter(pa.array(good))
    table.validate(full=True)
    return table, rejected


def _is_valid(table: pa.Table) -> bool:
    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _from_row(metadata: pq.FileMetaData, start: int) -> tuple[int, list[int]]:
    """The row groups from the one that holds row `start` on, and that one's first row."""
    counts = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    ends = list(accumulate(counts))
    first = next((group for group, end in enumerate(ends) if end > start), len(ends))
    return (ends[first - 1] if first else 0), list(range(first, len(ends)))


def _piece_rows(metadata: pq.FileMetaData, piece_bytes: int) -> int:
    """So many rows, by the file's average, fit in a piece."""
    size = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    return min(PIECE_ROWS, max(1, piece_bytes * metadata.num_rows // max(1, size)))
