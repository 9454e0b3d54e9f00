"""Rows that wait for the instant at which they end, and are given back in that order.

Rows lie in runs, each sorted by end; those that come with their ends in order, as on a WKS edge, just
make longer and longer runs one behind the other. Small runs are merged as they age, so there are few,
and a run of which most rows have ended is written anew without them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.parts import State
from windrow.buffers.rows import LARGE
from windrow.delta import Instants

_END = "__end"
_STARTS = pa.schema([("run", pa.int64()), ("start", pa.int64())])


@dataclass(eq=False)
class _Run:
    """Rows sorted by end, of which the first `start` have ended."""

    serial: int
    table: pa.Table
    start: int = 0

    def __post_init__(self) -> None:
        self.ends: Instants = self.table[_END].to_numpy()

    def __len__(self) -> int:
        return len(self.ends) - self.start

    def rest(self) -> pa.Table:
        return self.table.slice(self.start)

    def due(self, clock: int) -> pa.Table:
        stop = int(np.searchsorted(self.ends, clock, side="right"))
        taken = self.table.slice(self.start, stop - self.start)
        self.start = stop
        return taken


class Departures:
    """Rows of one schema, each with the instant at which it ends."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema.append(pa.field(_END, pa.int64()))
        self._runs: list[_Run] = []
        self._serial = 0

    def __len__(self) -> int:
        return sum(map(len, self._runs))

    @property
    def nbytes(self) -> int:
        return sum(run.table.nbytes for run in self._runs)

    def add(self, ends: Instants, rows: pa.Table) -> None:
        """Let rows wait. Of equal ends, those that were added first are given back first."""
        if not len(rows):
            return
        self._runs.append(self._run(rows.append_column(_END, pa.array(ends))))
        while len(self._runs) > 1 and _belong_together(self._runs[-2], self._runs[-1]):
            younger, older = self._runs.pop(), self._runs.pop()
            self._runs.append(self._run(pa.concat_tables([older.rest(), younger.rest()])))

    def due(self, clock: int) -> tuple[Instants, pa.Table]:
        """The rows that end up to and including the clock, in the order of their ends; they are gone."""
        shares = [share for share in (run.due(clock) for run in self._runs) if len(share)]
        if shares:
            self._runs = [self._trimmed(run) for run in self._runs if len(run)]
        return _split(_sorted(pa.concat_tables(shares or [self._schema.empty_table()])))

    def waiting(self) -> tuple[Instants, pa.Table]:
        """All rows that are there, and their ends."""
        return _split(pa.concat_tables([self._schema.empty_table(), *(run.rest() for run in self._runs)]))

    def keep(self, wanted: npt.NDArray[np.bool_]) -> None:
        """Forget the rows, as `waiting` gives them, that are not wanted."""
        shares = np.split(wanted, np.cumsum([len(run) for run in self._runs])[:-1])
        runs = [
            run if share.all() else self._run(run.rest().filter(pa.array(share)))
            for run, share in zip(self._runs, shares, strict=False)
        ]
        self._runs = [run for run in runs if len(run)]

    def save(self) -> State:
        parts = {f"run{run.serial}": run.table for run in self._runs}
        serials, starts = [run.serial for run in self._runs], [run.start for run in self._runs]
        return {**parts, "starts": pa.table({"run": serials, "start": starts}, schema=_STARTS)}

    def restore(self, state: State) -> None:
        self._runs = [
            _Run(told["run"], state[f"run{told['run']}"], told["start"])
            for told in state["starts"].to_pylist()
        ]
        self._serial = max((run.serial for run in self._runs), default=0)

    def _run(self, table: pa.Table) -> _Run:
        self._serial += 1
        return _Run(self._serial, _sorted(table).combine_chunks())

    def _trimmed(self, run: _Run) -> _Run:
        if 2 * run.start < len(run.ends):
            return run
        return self._run(run.table.take(np.arange(run.start, len(run.ends))))


def _belong_together(older: _Run, younger: _Run) -> bool:
    return len(older) < LARGE and len(older) <= 2 * len(younger)


def _sorted(table: pa.Table) -> pa.Table:
    ends = table[_END].to_numpy()
    if len(ends) < 2 or bool(np.all(ends[1:] >= ends[:-1])):
        return table
    return table.take(np.argsort(ends, kind="stable"))


def _split(table: pa.Table) -> tuple[Instants, pa.Table]:
    return table[_END].to_numpy(), table.drop_columns([_END])
