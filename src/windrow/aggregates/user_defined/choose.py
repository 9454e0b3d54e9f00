"""Which machine runs an aggregate of the user's own."""

from __future__ import annotations

from functools import lru_cache

from windrow.aggregates.compiler.kinds import CannotCompile
from windrow.aggregates.compiler.machine import Compiled
from windrow.aggregates.compiler.module import Module, compiled
from windrow.aggregates.user_defined.guarded import Guarded
from windrow.aggregates.user_defined.in_python import InPython
from windrow.aggregates.user_defined.interpreter import Interpreter
from windrow.aggregates.user_defined.machine import Machine
from windrow.catalog import Aggregate


def machine_for(aggregate: Aggregate) -> Machine:
    """A new machine that remembers nothing yet."""
    module = _module(aggregate)
    if isinstance(module, Module):
        return Guarded(aggregate, Compiled(aggregate, module))
    if aggregate.python is not None:
        return Guarded(aggregate, InPython(aggregate))
    return Guarded(aggregate, Interpreter(aggregate, machine_for))


def obstacle(aggregate: Aggregate) -> str | None:
    """What keeps an aggregate from being compiled, if anything does."""
    module = _module(aggregate)
    return None if isinstance(module, Module) else str(module)


def _module(aggregate: Aggregate) -> Module | CannotCompile:
    of_python = aggregate.python, aggregate.share
    key = aggregate.sql, aggregate.parameters, aggregate.type, aggregate.window, of_python
    return _modules(_Keyed(key, aggregate))


class _Keyed:
    """An aggregate that equals others of the same definition."""

    def __init__(self, key: tuple[object, ...], aggregate: Aggregate) -> None:
        self.key, self.aggregate = key, aggregate

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and self.key == other.key


@lru_cache(maxsize=256)
def _modules(keyed: _Keyed) -> Module | CannotCompile:
    try:
        return compiled(keyed.aggregate)
    except CannotCompile as reason:
        return reason
