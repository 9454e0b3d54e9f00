"""Which machine runs an aggregate of the user's own."""

from __future__ import annotations

from windrow.aggregates.user_defined.interpreter import Interpreter
from windrow.aggregates.user_defined.machine import Machine
from windrow.catalog import Aggregate


def machine_for(aggregate: Aggregate) -> Machine:
    """A new machine that remembers nothing yet."""
    return Interpreter(aggregate, machine_for)
