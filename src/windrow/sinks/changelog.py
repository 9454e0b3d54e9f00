"""How a sink's reader sees a delta: a table of changes, each with its operation and its instant.

`op` is '+I' for a tuple that enters the result and '-D' for one that leaves it. With the style
'diff' a column `change` holds +1 and -1 instead, and with '_change_type' a column of that name
holds Spark's words. A control column gives way to a column of the query that has its name, by
underscores put before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.delta import Delta, Instants
from windrow.errors import SettingError

_DELETED, _INSERTED = 0, 1
_WORDS = {"op": ("-D", "+I"), "_change_type": ("delete", "insert")}
_COLUMN = {"op": "op", "diff": "change", "_change_type": "_change_type"}
STYLES = tuple(_COLUMN)
INSTANT = pa.timestamp("us")


def instants(ts: Instants) -> pa.Array[Any]:
    """Microseconds since the epoch as a TIMESTAMP column."""
    return pa.array(ts, pa.int64()).view(INSTANT)


def _free_name(name: str, taken: Iterable[str]) -> str:
    used = {column.lower() for column in taken}
    while name in used:
        name = f"_{name}"
    return name


@dataclass(frozen=True, slots=True)
class Changelog:
    """What a changelog looks like: `style` is one of STYLES.

    `append_only` says that the query never takes a result back, so that `brief` can leave the
    operation out; None: it is left out of a delta that has no signs.
    """

    style: str = "op"
    append_only: bool | None = None

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise SettingError(
                f"changelog cannot be '{self.style}'", hint=f"choices are: {', '.join(STYLES)}"
            )

    def full(self, delta: Delta) -> pa.Table:
        """Operation, instant (`ts`) and the query's columns."""
        operation = self._operation(delta)
        names = [*self._control(delta.rows.column_names), *delta.rows.column_names]
        return pa.table([operation, instants(delta.ts), *delta.rows.columns], names=names)

    def brief(self, delta: Delta) -> pa.Table:
        """The query's columns, after the operation unless the query only ever adds."""
        bare = delta.sign is None if self.append_only is None else self.append_only
        if bare:
            return delta.rows
        operation, _ = self._control(delta.rows.column_names)
        return delta.rows.add_column(0, operation, self._operation(delta))

    def empty(self, schema: pa.Schema) -> pa.Table:
        """What `full` gives for no changes."""
        return self.full(Delta.empty(0, schema))

    def _control(self, columns: Iterable[str]) -> tuple[str, str]:
        taken = list(columns)
        return _free_name(_COLUMN[self.style], taken), _free_name("ts", taken)

    def _operation(self, delta: Delta) -> pa.Array[Any]:
        if self.style == "diff":
            return pa.array(np.ones(len(delta), np.int8) if delta.sign is None else delta.sign, pa.int32())
        words = pa.array(_WORDS[self.style])
        if delta.sign is None:
            return pa.repeat(words[_INSERTED], len(delta))
        return words.take(np.where(delta.sign > 0, _INSERTED, _DELETED))
