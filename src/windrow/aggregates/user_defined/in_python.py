"""Runs an aggregate that is written in Python: each group has an instance of its class.

What a method returns is a result: None is none, a list several, and of several columns each is a tuple.
Instances are pickled where a state is saved, so they have to be what pickle takes.
"""

from __future__ import annotations

import importlib
import pickle
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates.user_defined.group_rows import GROUP, ORDINAL, GroupRows
from windrow.aggregates.user_defined.machine import Halt, Machine, Returned, Step, Steps
from windrow.buffers.parts import State
from windrow.catalog import Aggregate

_PICKLED = "pickled"


@dataclass
class _Group:
    """What there is of a group."""

    instance: Any
    window: deque[tuple[Any, ...]] = field(default_factory=deque)
    """The arguments of the tuples that are there, for a window version."""


class InPython(Machine):
    """Calls the methods of a class."""

    def __init__(self, aggregate: Aggregate) -> None:
        assert aggregate.python is not None
        module, _, name = aggregate.python.partition(":")
        self._class = getattr(importlib.import_module(module), name)
        self._aggregate = aggregate
        self._groups: dict[int, _Group] = {}
        self._changed: set[int] = set()
        self._saved = GroupRows(pa.schema([pa.field(_PICKLED, pa.binary())]))

    def run(self, steps: Steps, arguments: pa.Table) -> Returned:
        count = int(np.count_nonzero(steps.kinds == Step.ARRIVE))
        run = _Run(self, steps, list(zip(*(each.to_pylist() for each in arguments.columns), strict=True)))
        if not arguments.num_columns:
            run.rows = [()] * count
        self._changed.update(np.unique(steps.groups).tolist())
        run.all()
        return run.returned()

    def group(self, number: int) -> _Group | None:
        return self._groups.get(number)

    def begin(self, number: int) -> _Group:
        group = self._groups[number] = _Group(self._class())
        return group

    def forget(self, number: int) -> None:
        self._groups.pop(number, None)

    @property
    def aggregate(self) -> Aggregate:
        return self._aggregate

    def save(self) -> State:
        changed = sorted(self._changed)
        self._changed.clear()
        self._saved.take_out(np.array(changed, np.int64))
        there = [number for number in changed if number in self._groups]
        pickled = [pickle.dumps(self._groups[number]) for number in there]
        table = pa.table([there, [0] * len(there), pickled], names=[GROUP, ORDINAL, _PICKLED])
        self._saved.put(table.cast(self._saved.schema))
        return self._saved.save()

    def restore(self, state: State) -> None:
        self._saved.restore(state)
        for row in self._saved.rows().to_pylist():
            self._groups[row[GROUP]] = pickle.loads(row[_PICKLED])


class _Run:
    """Steps, one after another."""

    def __init__(self, machine: InPython, steps: Steps, rows: list[tuple[Any, ...]]) -> None:
        self._machine, self._steps = machine, steps
        self.rows = rows
        self._row = 0
        self._given: list[int] = []
        self._values: list[tuple[Any, ...]] = []

    def all(self) -> None:
        does: dict[int, Callable[[int], Any]] = {
            Step.ARRIVE: self._arrive,
            Step.EXPIRE: self._expire,
            Step.TERMINATE: self._terminate,
            Step.FORGET: self._machine.forget,
        }
        heard = self._steps.heard
        pairs = zip(self._steps.groups.tolist(), self._steps.kinds.tolist(), strict=True)
        for step, (group, kind) in enumerate(pairs):
            try:
                result = does[kind](group)
                if result is not None and (heard is None or heard[step]):
                    self._keep(step, result)
            except Exception as error:
                last = traceback.format_exception_only(error)[-1].strip()
                raise Halt(step, f"it raised {last}", self.returned()) from error

    def returned(self) -> Returned:
        schema = self._machine.aggregate.returns.arrow
        columns = list(zip(*self._values, strict=True)) or [()] * len(schema)
        arrays = [pa.array(column, each.type) for column, each in zip(columns, schema, strict=True)]
        numbers = np.unique(self._steps.groups).tolist()
        ended = [number for number in numbers if self._machine.group(number) is None]
        none = np.empty(0, np.int64)
        rows = pa.table(arrays, schema=schema)
        return Returned(np.array(self._given, np.int64), rows, np.array(ended, np.int64), none)

    def _keep(self, step: int, result: Any) -> None:
        schema = self._machine.aggregate.returns.arrow
        for each in result if isinstance(result, list) else [result]:
            row = (each,) if len(schema) == 1 else tuple(each)
            for value, column in zip(row, schema, strict=True):
                pa.scalar(value, column.type)
            self._given.append(step)
            self._values.append(row)

    def _arrive(self, number: int) -> Any:
        arguments = self.rows[self._row]
        self._row += 1
        group = self._machine.group(number)
        begins = group is None
        group = group or self._machine.begin(number)
        if self._machine.aggregate.window:
            group.window.append(arguments)
        return (group.instance.initialize if begins else group.instance.iterate)(*arguments)

    def _expire(self, number: int) -> Any:
        group = self._machine.group(number)
        assert group is not None
        instance = group.instance
        leave = instance.expire if hasattr(instance, "expire") else instance.inverse
        result = leave(*group.window.popleft())
        if not group.window:
            self._machine.forget(number)
        return result

    def _terminate(self, number: int) -> Any:
        group = self._machine.group(number)
        if group is None or not hasattr(group.instance, "terminate"):
            return None
        return group.instance.terminate()
