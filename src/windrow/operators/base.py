"""What every operator is: deltas in, a delta out, and a state that can be saved.

Contract. The caller guarantees, and the operator guarantees of its output:

- All inputs are complete up to the same clock, which never falls. Each is in time order, no tuple is
  newer than the clock, and none is older than the clock of the call before (ties with it may come).
- How tuples end follows from the pattern of the edge (`Node.pattern`). On a MON edge they never do:
  `exp` and `sign` are None. On WKS and WK edges `exp` says when, for every tuple, and `sign` is None;
  nobody is told again when that instant comes. On a STR edge `sign` is there and `exp` is None: every
  end is told by a negative tuple.
- A tuple counts from `ts` up to but without `exp`. What ends at an instant ends before what begins at
  it. A tuple with exp ≤ ts counts at no instant, and is not sent.
- A negative tuple has the columns of the tuple that it cancels, and comes after it. Equal tuples are
  interchangeable, so it cancels any; where their order matters (FIRST, LAST) the oldest.
- What the output says is right at the end of each instant. What came and went within one may show, or
  be left out.

One operator instance sees all tuples that its node's distribution puts together, and is only ever
called by one thread. What it gives follows from its inputs and its saved state alone: no wall clock,
no chance, no order of a hash table, so a batch that is run again gives the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import pyarrow as pa

from windrow.buffers.parts import State
from windrow.delta import Delta

FAILURES = pa.schema([("stream", pa.string()), ("input", pa.string()), ("reason", pa.string())])
"""Rows that could not be evaluated: the stream that they came from, the row as JSON, and why."""


def failures_of(stream: str, failed: Sequence[tuple[str | None, str]]) -> pa.Table | None:
    """Rows of a stream as FAILURES, None if there are none: each as JSON, where it is known, and why."""
    rows = [{"stream": stream, "input": input_, "reason": reason} for input_, reason in failed]
    return pa.Table.from_pylist(rows, schema=FAILURES) if rows else None


class Operator(ABC):
    """A running step of a plan."""

    @abstractmethod
    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        """What the inputs' changes, and the time that went by, change in the output."""

    @property
    def probes(self) -> int | None:
        """Pairs, and entries of buffers, that were looked at so far; None where that is not counted."""
        return None

    def take_failures(self) -> pa.Table | None:
        """The input rows that failed since the last call, as FAILURES, or None; they are forgotten."""
        return None

    def save(self) -> State:
        """The state; nothing where there is none to keep. The operator goes on after it."""
        return {}

    def restore(self, state: State) -> None:
        """Continue from a saved state. Called at most once, before any delta, and only with parts."""
        raise ValueError(f"{type(self).__name__} keeps no state")
