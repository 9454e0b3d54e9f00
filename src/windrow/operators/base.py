"""What every operator is: deltas in, a delta out, and a state that can be saved.

Contract. The caller guarantees that all inputs are complete up to the same clock, that each is in
time order, and that no tuple is older than the clock of the call before (ties with it may come).
The operator guarantees the same of its output. One operator instance sees all tuples that its
node's distribution puts together, and is only ever called by one thread.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import pyarrow as pa

from windrow.delta import Delta

FAILURES = pa.schema([("stream", pa.string()), ("input", pa.string()), ("reason", pa.string())])
"""Rows that could not be evaluated: the stream that they came from, the row as JSON, and why."""


class Operator(ABC):
    """A running step of a plan."""

    @abstractmethod
    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        """What the inputs' changes change in the output, up to the inputs' clock."""

    def take_failures(self) -> pa.Table | None:
        """The input rows that failed since the last call, as FAILURES, or None; they are forgotten."""
        return None

    def save(self) -> pa.Table | None:
        """The state, or None where there is none to keep."""
        return None

    def restore(self, state: pa.Table) -> None:
        """Continue from a saved state. Called at most once, before any delta."""
        raise ValueError(f"{type(self).__name__} keeps no state")
