"""Aggregates of the user's own at work on hand-written steps: `+1 5.0` and the like, a line a step.

`+g v …` lets values arrive in group g, `-g` lets the oldest of it expire, `!g` asks for its result,
`0g` forgets it; `(…)` around a step says that nobody listens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates.user_defined.machine import Machine, Returned, Step, Steps
from windrow.catalog import Aggregate, Catalog
from windrow.language.define_aggregate import define_aggregate
from windrow.language.parser import parse

_KINDS = {"+": Step.ARRIVE, "-": Step.EXPIRE, "!": Step.TERMINATE, "0": Step.FORGET}

Given = list[tuple[int, Any]]
"""The step of each row that was returned, and its one value, or all of them."""


def defined(text: str, *others: str, types: Sequence[str] | None = None) -> Aggregate:
    """The last of some aggregates, which may call those before it."""
    catalog = Catalog()
    for other in others:
        catalog.add(define_aggregate(parse(other)[0], catalog))  # type: ignore[arg-type]
    (statement,) = parse(text)
    return define_aggregate(statement, catalog, types)  # type: ignore[arg-type]


def played(machine: Machine, aggregate: Aggregate, *steps: tuple[Any, ...] | str) -> Returned:
    """What a machine returns for steps: "-1", or ("+1", value, …)."""
    told = [(step,) if isinstance(step, str) else step for step in steps]
    heard = np.array([not name.startswith("(") for name, *_ in told])
    names = [name.strip("()") for name, *_ in told]
    kinds = np.array([_KINDS[name[0]] for name in names], np.int8)
    rows = [values for (_, *values), kind in zip(told, kinds, strict=True) if kind == Step.ARRIVE]
    schema = aggregate.parameters.arrow
    columns = [pa.array([row[place] for row in rows], field.type) for place, field in enumerate(schema)]
    groups = np.array([int(name[1:]) for name in names], np.int64)
    return machine.run(Steps(groups, kinds, heard), pa.table(columns, schema=schema))


def given(returned: Returned) -> Given:
    columns = [column.to_pylist() for column in returned.rows.columns]
    values = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
    return list(zip(returned.steps.tolist(), values, strict=True))


def in_pieces(make: Callable[[], Machine], aggregate: Aggregate, *steps: tuple[Any, ...] | str) -> Given:
    """The same steps, one by one, with the state saved and restored between them."""
    state, came = None, []
    for place, step in enumerate(steps):
        machine = make()
        if state is not None:
            machine.restore(state)
        came += [(place, value) for _, value in given(played(machine, aggregate, step))]
        state = machine.save()
    return came
