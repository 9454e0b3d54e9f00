"""CSV, one line a row: fields between delimiters, a field in quotes if it holds a delimiter.

A quote counts only where a field begins; within quotes two of them mean one. An empty field that
is not quoted is NULL, as is one that equals the `null` option. Columns come in the stream's order,
or as a header names them; what the stream does not have is passed over.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from windrow.catalog import Stream
from windrow.sources.formats.base import Decoded, Decoder, HeaderRefused, Layout, Rejected, shown
from windrow.sources.formats.cast import Caster
from windrow.sources.formats.lines import cleaned, joined, line_array


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """How the CSV is written."""

    header: bool | None = None
    """Whether the first line names the columns; None: it does if it names all of them."""
    delimiter: str = ","
    quote: str | None = '"'
    null: str | None = None


class CsvDecoder(Decoder):
    """Arrow splits lines into strings, DuckDB casts the strings."""

    def __init__(self, stream: Stream, options: CsvOptions) -> None:
        self._schema = stream.arriving
        self._options = options
        self._caster = Caster(self._schema)
        self._well_formed = _well_formed(options)

    def layout(self, first_line: bytes) -> Layout:
        by_position = Layout(tuple(self._schema.names))
        if self._options.header is False:
            return by_position
        fields = self._fields(first_line)
        named = [self._schema.find(field) for field in fields]
        columns = tuple(field.name if field else None for field in named)
        missing = [name for name in self._schema.names if name not in columns]
        if self._options.header is None and missing:
            return by_position
        if missing:
            raise HeaderRefused(f"the header does not name column {', '.join(missing)}")
        twice = sorted({name for name in columns if name and columns.count(name) > 1})
        if twice:
            raise HeaderRefused(f"the header names column {', '.join(twice)} twice")
        return Layout(columns, header=True)

    def decode(self, block: bytes, layout: Layout) -> Decoded:
        block, rejected = cleaned(block)
        block, misquoted = self._without_misquoted(block)
        strings, miscounted, lines_miscounted = self._split(block, layout)
        result = self._caster.cast(strings)
        rejected += misquoted + miscounted
        if result.failed:
            inputs = _lines_of_rows(block, lines_miscounted, result.failed)
            rejected += zip(inputs, result.reasons, strict=True)
        return Decoded(result.rows, rejected)

    def _fields(self, line: bytes) -> list[str]:
        options = self._options
        text = line.decode("utf-8", "replace")
        if options.quote is None:
            return [field.strip() for field in text.split(options.delimiter)]
        reader = csv.reader([text], delimiter=options.delimiter, quotechar=options.quote)
        try:
            return [field.strip() for field in next(reader, [])]
        except csv.Error:
            return []

    def _without_misquoted(self, block: bytes) -> tuple[bytes, list[Rejected]]:
        """Drops lines on which Arrow would lose its way: it takes a newline within open quotes,
        and a carriage return anywhere, for something other than data and end of row."""
        quote = self._options.quote
        if b"\r" not in block and (quote is None or quote.encode() not in block):
            return block, []
        lines = line_array(block)
        good = pc.match_substring_regex(lines, self._well_formed)
        if good.true_count == len(lines):
            return block, []
        bad = _texts(lines.filter(pc.invert(good)))
        rejected = [(shown(line), _why_misquoted(line)) for line in bad]
        return joined(lines.filter(good)), rejected

    def _split(self, block: bytes, layout: Layout) -> tuple[pa.Table, list[Rejected], list[int]]:
        """The fields as strings; lines with too few or too many of them, and their numbers."""
        names = [name or f" {place}" for place, name in enumerate(layout.columns)]
        kept = [name for name in layout.columns if name]
        if not block:
            return pa.table({name: pa.array([], pa.string()) for name in kept}), [], []
        rejected: list[Rejected] = []
        numbers: list[int] = []

        def set_apart(row: arrow_csv.InvalidRow) -> Literal["skip"]:
            rejected.append((shown(row.text), _why_miscounted(row.actual_columns, row.expected_columns)))
            numbers.append(cast(int, row.number) - 1)
            return "skip"

        options = self._options
        table = arrow_csv.read_csv(
            io.BytesIO(block),
            # One thread, because only then are the numbers of bad rows told.
            read_options=arrow_csv.ReadOptions(
                use_threads=False, column_names=names, block_size=len(block) + 1
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=options.delimiter,
                quote_char=options.quote or False,
                invalid_row_handler=set_apart,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(kept, pa.string()),
                include_columns=kept,
                check_utf8=False,
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                null_values=["", *([options.null] if options.null is not None else [])],
            ),
        )
        return table, rejected, numbers


def _well_formed(options: CsvOptions) -> str:
    """The pattern of a line that Arrow's reader takes as one row, alone."""
    delimiter = re.escape(options.delimiter)
    if options.quote is None:
        return r"^[^\r\n]*\n$"
    quote = re.escape(options.quote)
    bare = f"[^{quote}{delimiter}\\r\\n][^{delimiter}\\r\\n]*"
    field = f"(?:{quote}(?:[^{quote}\\r\\n]|{quote}{quote})*{quote}|{bare})?"
    return f"^{field}(?:{delimiter}{field})*\\n$"


def _why_misquoted(line: str) -> str:
    if "\r" in line:
        return "there is a carriage return within the line"
    return "a quote stays open, or text follows a closing quote"


def _why_miscounted(fields: int, columns: int) -> str:
    return f"{fields} field{'s' if fields > 1 else ''} for {columns} column{'s' if columns > 1 else ''}"


def _lines_of_rows(block: bytes, miscounted: list[int], rows: list[int]) -> list[str]:
    """The lines that rows came from, when the lines numbered `miscounted` gave no row."""
    lines = line_array(block)
    gave_row = np.ones(len(lines), bool)
    gave_row[miscounted] = False
    numbers = np.flatnonzero(gave_row)[rows]
    return [shown(line) for line in _texts(lines.take(numbers))]


def _texts(lines: pa.Array[Any]) -> list[str]:
    return [line.rstrip("\n") for line in cast(list[str], lines.to_pylist())]
