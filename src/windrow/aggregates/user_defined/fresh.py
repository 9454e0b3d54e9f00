"""A base aggregate over lists of tuples, each from scratch: its value is the last row that it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates.parts import Failure
from windrow.aggregates.user_defined.machine import Ints, Machine, Step, Steps
from windrow.aggregates.user_defined.side_by_side import taken_or_null
from windrow.catalog import Aggregate
from windrow.expressions.engine import DataFault
from windrow.expressions.json_rows import json_rows


def values_of_lists(
    aggregate: Aggregate,
    machine: Machine,
    lengths: Ints,
    arguments: pa.Table,
    halt: Callable[[Failure], None] | None = None,
) -> pa.Array[Any]:
    """A value for each list, NULL where nothing was returned. The arguments are those of all lists, one
    behind the other; the machine remembers nothing afterwards. DataFault if an action fails; if the
    aggregate cannot go on `halt` is told instead."""
    lists = np.arange(len(lengths))
    arrivals = np.repeat(lists, lengths)
    ends = np.concatenate([lists, lists])
    kinds = np.repeat(
        np.array([Step.ARRIVE, Step.TERMINATE, Step.FORGET], np.int8), [len(arrivals), *[len(lists)] * 2]
    )
    order = np.argsort(np.concatenate([arrivals, ends]), kind="stable")
    steps = Steps(np.concatenate([arrivals, ends])[order], kinds[order])
    returned = machine.run(steps, arguments)
    if len(returned.failed):
        if not returned.is_halted or halt is None:
            told = _tuple_at(int(returned.failed[0]), steps, arguments)
            raise DataFault(f"{aggregate.name}: {returned.reasons[0]}{told and f', at {told}'}")
        halt((_tuple_at(int(returned.failed[-1]), steps, arguments) or None, returned.reasons[-1]))
    return _last_of_each(steps.groups[returned.steps], as_values(aggregate, returned.rows), len(lists))


def _tuple_at(step: int, steps: Steps, arguments: pa.Table) -> str:
    """The arguments of the tuple that arrives at a step, if one does."""
    if steps.kinds[step] != Step.ARRIVE or not arguments.num_columns:
        return ""
    place = np.count_nonzero(steps.kinds[:step] == Step.ARRIVE)
    return json_rows(arguments.slice(int(place), 1))[0]


def as_values(aggregate: Aggregate, rows: pa.Table) -> pa.Array[Any]:
    """Rows that an aggregate returned, as values of a call: of several columns a struct."""
    columns = [column.combine_chunks() for column in rows.columns]
    if len(columns) == 1:
        return columns[0]
    return pa.StructArray.from_arrays(columns, names=list(aggregate.returns.names))


def _last_of_each(lists: Ints, values: pa.Array[Any], count: int) -> pa.Array[Any]:
    places = np.full(count, -1, np.int64)
    places[lists] = np.arange(len(lists))
    return taken_or_null(values, places)
