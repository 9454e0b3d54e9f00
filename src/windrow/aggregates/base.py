"""What every aggregate is: it says what it has to be told, and gives a result for each moment.

Adding one takes a file with a function of the type `Declaration`, and a line in `registry.py`. The
function looks at a call, takes what it needs from the ledger (see `sums.py` for what there is), and
gives an `Aggregate`; or None where it does not cover the call, which DuckDB then evaluates over the
live tuples.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

import pyarrow as pa

from windrow.aggregates.calls import Call
from windrow.aggregates.events import Events
from windrow.aggregates.ledger import Ledger
from windrow.schema import Field


class Aggregate(ABC):
    """One call of an aggregate at work."""

    @abstractmethod
    def results(self, events: Events) -> pa.Array[Any]:
        """The result at each moment, after the ledger has observed the events."""


class FromSums(Aggregate):
    """Whatever a function makes of what the parts have noted."""

    def __init__(self, compute: Callable[[], pa.Array[Any]]) -> None:
        self._compute = compute

    def results(self, events: Events) -> pa.Array[Any]:
        return self._compute()


Declaration: TypeAlias = Callable[[Call, Field, Ledger], Aggregate | None]
"""Of a call, and its result's name and type."""
