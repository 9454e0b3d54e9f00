"""Runs an aggregate that is written in Python: each group has an instance of its class.

What a method returns is a result: None is none, a list several, and of several columns each is a tuple.
Instances are pickled where a state is saved, so they have to be what pickle takes.
"""

from __future__ import annotations

import importlib
import pickle
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates.user_defined.group_rows import GROUP, ORDINAL, GroupRows
from windrow.aggregates.user_defined.machine import Halt, Machine, Returned, Step, Steps
from windrow.aggregates.user_defined.merging import Pane, Panes
from windrow.aggregates.user_defined.patience import NeverEnds, Patience
from windrow.buffers.parts import State
from windrow.catalog import Aggregate, Share

_PICKLED = "pickled"
_LONG = 100
"""Of longer values the beginning is told."""
_SHARES: Mapping[Share, Callable[[Any], Any]] = {Share.PANE: Pane, Share.PANES: Panes}


@dataclass
class _Group:
    """What there is of a group."""

    instance: Any
    window: deque[tuple[Any, ...]] = field(default_factory=deque)
    """The arguments of the tuples that are there, for a window version."""


class InPython(Machine):
    """Calls the methods of a class."""

    form = "instances"

    def __init__(self, aggregate: Aggregate) -> None:
        class_ = class_of(aggregate)
        share = _SHARES.get(aggregate.share)
        self.make: Callable[[], Any] = class_ if share is None else partial(share, class_)
        self.aggregate = aggregate
        self.groups: dict[int, _Group] = {}
        self._changed: set[int] = set()
        self._saved = GroupRows(pa.schema([pa.field(_PICKLED, pa.binary())]))

    def run(self, steps: Steps, arguments: pa.Table) -> Returned:
        rows = list(zip(*(each.to_pylist() for each in arguments.columns), strict=True))
        if not arguments.num_columns:
            rows = [()] * int(np.count_nonzero(steps.kinds == Step.ARRIVE))
        self._changed.update(np.unique(steps.groups).tolist())
        run = _Run(self, steps, rows)
        run.all()
        return run.returned()

    def save(self) -> State:
        changed = sorted(self._changed)
        self._changed.clear()
        self._saved.take_out(np.array(changed, np.int64))
        there = [number for number in changed if number in self.groups]
        pickled = [pickle.dumps(self.groups[number]) for number in there]
        table = pa.table([there, [0] * len(there), pickled], names=[GROUP, ORDINAL, _PICKLED])
        self._saved.put(table.cast(self._saved.schema))
        return self._saved.save()

    def restore(self, state: State) -> None:
        self._saved.restore(state)
        for row in self._saved.rows().to_pylist():
            self.groups[row[GROUP]] = pickle.loads(row[_PICKLED])


class _Run:
    """Steps, one after another."""

    def __init__(self, machine: InPython, steps: Steps, rows: list[tuple[Any, ...]]) -> None:
        self._machine, self._steps = machine, steps
        self._groups = machine.groups
        self._types = machine.aggregate.returns.arrow.types
        self._rows = iter(rows)
        self._doing: tuple[str, tuple[Any, ...]] = "", ()
        """The method that was called last, and with what."""
        self._given: list[int] = []
        self._values: list[tuple[Any, ...]] = []

    def all(self) -> None:
        does: dict[int, Callable[[int], Any]] = {
            Step.ARRIVE: self._arrive,
            Step.EXPIRE: self._expire,
            Step.TERMINATE: self._terminate,
            Step.FORGET: self._forget,
        }
        heard = self._steps.heard
        pairs = zip(self._steps.groups.tolist(), self._steps.kinds.tolist(), strict=True)
        patience = Patience(self._machine.aggregate.patience)
        try:
            with patience.lasting():
                for patience.step, (group, kind) in enumerate(pairs):
                    result = does[kind](group)
                    if result is not None and (heard is None or heard[patience.step]):
                        self._keep(patience.step, result)
        except (Exception, SystemExit) as error:
            raise Halt(patience.step, what_raised(*self._doing, error), self.returned()) from error

    def returned(self) -> Returned:
        schema = self._machine.aggregate.returns.arrow
        columns = list(zip(*self._values, strict=True)) or [()] * len(schema)
        arrays = [pa.array(column, type_) for column, type_ in zip(columns, self._types, strict=True)]
        numbers = np.unique(self._steps.groups).tolist()
        ended = [number for number in numbers if number not in self._groups]
        none = np.empty(0, np.int64)
        rows = pa.table(arrays, schema=schema)
        return Returned(np.array(self._given, np.int64), rows, np.array(ended, np.int64), none)

    def _keep(self, step: int, result: Any) -> None:
        for each in result if isinstance(result, list) else [result]:
            row = (each,) if len(self._types) == 1 else tuple(each)
            for value, type_ in zip(row, self._types, strict=True):
                pa.scalar(value, type_)
            self._given.append(step)
            self._values.append(row)

    def _call(self, instance: Any, method: str, *arguments: Any) -> Any:
        self._doing = method, arguments
        return getattr(instance, method)(*arguments)

    def _arrive(self, number: int) -> Any:
        arguments, method = next(self._rows), "iterate"
        group = self._groups.get(number)
        if group is None:
            self._doing, method = ("__init__", ()), "initialize"
            group = self._groups[number] = _Group(self._machine.make())
        if self._machine.aggregate.window:
            group.window.append(arguments)
        return self._call(group.instance, method, *arguments)

    def _expire(self, number: int) -> Any:
        group = self._groups[number]
        method = "expire" if hasattr(group.instance, "expire") else "inverse"
        result = self._call(group.instance, method, *group.window.popleft())
        if not group.window:
            self._forget(number)
        return result

    def _terminate(self, number: int) -> Any:
        group = self._groups.get(number)
        if group is None or not hasattr(group.instance, "terminate"):
            return None
        return self._call(group.instance, "terminate")

    def _forget(self, number: int) -> None:
        self._groups.pop(number, None)


def class_of(aggregate: Aggregate) -> Any:
    """The class that does what an aggregate does."""
    assert aggregate.python is not None
    module, _, name = aggregate.python.partition(":")
    return getattr(importlib.import_module(module), name)


def what_raised(method: str, arguments: tuple[Any, ...], error: BaseException) -> str:
    """The call of a method and what it raised, for people to read."""
    call = f"{method}({', '.join(map(_shown, arguments))})"
    if isinstance(error, NeverEnds):
        return f"{call} did not come to an end"
    return f"{call} raised {traceback.format_exception_only(error)[-1].strip()}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"
