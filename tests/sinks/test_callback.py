"""A Python function as a sink."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from windrow.delta import Delta
from windrow.errors import SinkError
from windrow.schema import Schema
from windrow.sinks.callback import CallbackSink

SCHEMA = Schema.of(("x", "INTEGER"))


def delta_of(*values: int) -> Delta:
    return Delta(9, pa.table({"x": pa.array(values, pa.int32())}), np.arange(len(values)))


def test_each_batch_with_changes_is_given_once_with_its_number() -> None:
    calls: list[tuple[int, list[int]]] = []
    sink = CallbackSink(lambda batch, changes: calls.append((batch, changes["x"].to_pylist())))
    sink.open(SCHEMA)
    for batch, delta in [(0, delta_of(1, 2)), (1, delta_of()), (2, delta_of(3)), (2, delta_of(3))]:
        sink.write(batch, delta)
    assert calls == [(0, [1, 2]), (2, [3])]


def test_a_function_that_raises_gets_the_batch_again() -> None:
    calls: list[int] = []

    def fragile(batch: int, changes: pa.Table) -> None:
        calls.append(batch)
        assert len(changes) == 1
        if len(calls) == 1:
            raise KeyError("price")

    sink = CallbackSink(fragile)
    sink.open(SCHEMA)
    with pytest.raises(SinkError, match="the callback fragile failed on batch 4: KeyError: 'price'"):
        sink.write(4, delta_of(1))
    sink.write(4, delta_of(1))
    sink.write(4, delta_of(1))
    assert calls == [4, 4]
