"""A delta: a batch of signed tuples in time order, and the clock up to which it is complete.

Control columns are numpy, for kernels; the payload stays Arrow. `exp` and `sign` are None where
they would say the same of every tuple: that it never expires, that it enters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Instants = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]

BEGINNING = -(2**63)
"""The clock of a stream that has not started."""
NEVER = 2**63 - 1
"""The `exp` of a tuple that always counts; the clock of a stream that has ended."""

_TS, _EXP, _SIGN = "__ts", "__exp", "__sign"


@dataclass(frozen=True, slots=True)
class Delta:
    """Tuples that changed a (sub-)result; all changes up to `clock` are in it or came before."""

    clock: int
    rows: pa.Table
    ts: Instants
    exp: Instants | None = None
    sign: Signs | None = None

    def __len__(self) -> int:
        return len(self.ts)

    @classmethod
    def empty(cls, clock: int, schema: pa.Schema) -> Delta:
        return cls(clock, schema.empty_table(), np.empty(0, np.int64))

    def take(self, indices: npt.NDArray[Any]) -> Delta:
        """The tuples at these places, in this order; or those where a mask is true."""
        chosen = pa.array(indices)
        rows = self.rows.filter(chosen) if indices.dtype == np.bool_ else self.rows.take(chosen)
        return Delta(
            self.clock,
            rows,
            self.ts[indices],
            None if self.exp is None else self.exp[indices],
            None if self.sign is None else self.sign[indices],
        )

    def between(self, start: int, stop: int) -> Delta:
        """The tuples from a place up to another, without copying them."""
        return Delta(
            self.clock,
            self.rows.slice(start, stop - start),
            self.ts[start:stop],
            None if self.exp is None else self.exp[start:stop],
            None if self.sign is None else self.sign[start:stop],
        )

    def at(self, clock: int) -> Delta:
        """The same tuples, known complete up to another clock."""
        return replace(self, clock=clock)

    def to_table(self) -> pa.Table:
        """Payload and control columns in one table."""
        table = self.rows.append_column(_TS, pa.array(self.ts))
        if self.exp is not None:
            table = table.append_column(_EXP, pa.array(self.exp))
        if self.sign is not None:
            table = table.append_column(_SIGN, pa.array(self.sign))
        return table

    @classmethod
    def from_table(cls, clock: int, table: pa.Table) -> Delta:
        names = table.column_names
        control = {name: table[name].to_numpy() for name in (_TS, _EXP, _SIGN) if name in names}
        rows = table.drop_columns(list(control))
        return cls(clock, rows, control[_TS], control.get(_EXP), control.get(_SIGN))

    @property
    def nbytes(self) -> int:
        controls = (self.ts, self.exp, self.sign)
        return int(self.rows.nbytes + sum(each.nbytes for each in controls if each is not None))

    def write(self, sink: pa.NativeFile) -> None:
        """The delta as an Arrow IPC stream."""
        table = self.to_table().replace_schema_metadata({"clock": str(self.clock)})
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)

    def to_blob(self) -> bytes:
        sink = pa.BufferOutputStream()
        self.write(sink)
        return bytes(sink.getvalue())

    @classmethod
    def from_blob(cls, blob: bytes | pa.Buffer) -> Delta:
        with pa.ipc.open_stream(blob) as reader:
            table = reader.read_all()
        return cls.from_table(int(table.schema.metadata[b"clock"]), table)


def concat(deltas: Sequence[Delta]) -> Delta:
    """Deltas one after another: each starts where the one before it ends."""
    if len(deltas) == 1:
        return deltas[0]

    def joined(name: str, default: int) -> Any:
        parts = [getattr(delta, name) for delta in deltas]
        if all(part is None for part in parts):
            return None
        kind = np.int8 if name == "sign" else np.int64
        full = [
            np.full(len(delta), default, kind) if part is None else part
            for delta, part in zip(deltas, parts, strict=True)
        ]
        return np.concatenate(full, out=room(sum(map(len, full)), kind))

    return Delta(
        max(delta.clock for delta in deltas),
        pa.concat_tables([delta.rows for delta in deltas]),
        joined("ts", NEVER),
        joined("exp", NEVER),
        joined("sign", 1),
    )


def room(length: int, kind: Any) -> npt.NDArray[Any]:
    """An array to be filled, in memory that Arrow gives again when it is free. The system gives new memory
    page by page as it is written, which takes longer than the writing."""
    kind = np.dtype(kind)
    memory: Any = pa.allocate_buffer(length * kind.itemsize)
    array: npt.NDArray[Any] = np.frombuffer(memory, kind)
    return array


def in_time_order(delta: Delta) -> Delta:
    """The same tuples sorted by timestamp; ties stay as they are."""
    if len(delta) < 2 or bool(np.all(delta.ts[1:] >= delta.ts[:-1])):
        return delta
    return delta.take(np.argsort(delta.ts, kind="stable"))
