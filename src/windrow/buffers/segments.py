"""Rows of numbers by code, as they are saved: in segments, of which the younger tells what has changed.

A segment is sorted by code and never changes. It is merged with the one before it once that is not much
larger, as in a log-structured tree; so what a save costs follows what changed, and nobody looks up where a
row was saved before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.parts import State

Codes = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int64]

_CODE, _ROW = "code", "row"


@dataclass(eq=False)
class _Segment:
    """Rows by code, both in the order of the codes. Rows of 0 tell that a code has none any more."""

    serial: int
    codes: Codes
    rows: Rows
    saved: pa.Table | None = None

    def part(self) -> pa.Table:
        """What is saved of it: always the same object."""
        if self.saved is None:
            data: Any = np.ascontiguousarray(self.rows)
            type_: Any = pa.binary(self.rows.shape[1] * self.rows.itemsize)
            rows = pa.Array.from_buffers(type_, len(self.codes), [None, pa.py_buffer(data)])
            self.saved = pa.table({_CODE: self.codes, _ROW: rows})
        return self.saved


class Segments:
    """The rows that were added last of each code."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._segments: list[_Segment] = []
        self._serial = 0

    def add(self, codes: Codes, rows: Rows) -> None:
        """Rows that take the place of those before. The codes rise."""
        if not len(codes):
            return
        self._serial += 1
        self._segments.append(_Segment(self._serial, codes, rows))
        while len(self._segments) > 1 and len(self._segments[-2].codes) <= 2 * len(
            self._segments[-1].codes
        ):
            younger, older = self._segments.pop(), self._segments.pop()
            merged = _merged(older, younger, is_oldest=not self._segments)
            if len(merged.codes):
                self._segments.append(merged)

    def save(self) -> State:
        return {f"segment{each.serial}": each.part() for each in self._segments}

    def restore(self, state: State) -> tuple[Codes, Rows]:
        """The rows that were saved, by codes that rise; without those that are 0."""
        for name, table in state.items():
            told: Any = table[_ROW].combine_chunks()
            rows = np.frombuffer(told.buffers()[1], np.int64).reshape(-1, self._width)
            mine = rows[told.offset : told.offset + len(table)]
            serial = int(name.removeprefix("segment"))
            self._segments.append(_Segment(serial, table[_CODE].to_numpy(), mine, table))
        self._segments.sort(key=lambda each: each.serial)
        self._serial = max((each.serial for each in self._segments), default=0)
        whole = _Segment(0, np.empty(0, np.int64), np.empty((0, self._width), np.int64))
        for each in self._segments:
            whole = _merged(whole, each, is_oldest=True)
        return whole.codes, whole.rows


def _merged(older: _Segment, younger: _Segment, *, is_oldest: bool) -> _Segment:
    codes = np.concatenate([older.codes, younger.codes])
    order = np.argsort(codes, kind="stable")
    lined_up = codes[order]
    chosen = order[np.append(lined_up[1:] != lined_up[:-1], True)]
    rows = np.take(np.concatenate([older.rows, younger.rows]), chosen, axis=0)
    if is_oldest:
        there = rows.any(axis=1)
        chosen, rows = chosen[there], rows[there]
    return _Segment(younger.serial, codes[chosen], rows)
