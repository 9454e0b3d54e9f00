"""What is saved of a state: named tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import pyarrow as pa

State: TypeAlias = Mapping[str, pa.Table]
"""What is saved, in named parts. A table that is the very object of the save before has not changed,
and is not written again; so keep what is large in parts that only come and go."""


def under(name: str, state: State) -> dict[str, pa.Table]:
    """The parts of something that belongs to something larger, under a name of its own."""
    return {f"{name}.{part}": table for part, table in state.items()}


def within(name: str, state: State) -> dict[str, pa.Table]:
    """The parts that `under` put under a name."""
    prefix = f"{name}."
    return {part.removeprefix(prefix): table for part, table in state.items() if part.startswith(prefix)}
