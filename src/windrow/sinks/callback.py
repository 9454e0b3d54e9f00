"""A sink that calls a Python function with each batch of changes."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from windrow.delta import Delta
from windrow.errors import SinkError
from windrow.schema import Schema
from windrow.sinks.base import Sink
from windrow.sinks.changelog import Changelog

Callback = Callable[[int, pa.Table], object]


class CallbackSink(Sink):
    """Calls `function(batch number, changelog)` for each batch that changes something.

    A function that raises gets the batch again, as it does after a crash: what must not happen
    twice, it keeps by batch number.
    """

    def __init__(self, function: Callback, changelog: Changelog | None = None) -> None:
        self._function = function
        self._changelog = changelog or Changelog()
        self._last_batch = -1

    def open(self, schema: Schema) -> None:
        pass

    def write(self, batch: int, delta: Delta) -> None:
        if batch <= self._last_batch:
            return
        if len(delta):
            self._call(batch, self._changelog.full(delta))
        self._last_batch = batch

    def _call(self, batch: int, changes: pa.Table) -> None:
        try:
            self._function(batch, changes)
        except Exception as failure:
            name = getattr(self._function, "__name__", type(self._function).__name__)
            raise SinkError(
                f"the callback {name} failed on batch {batch}: {type(failure).__name__}: {failure}",
                hint="the batch is given to it again when the query runs on",
            ) from failure
