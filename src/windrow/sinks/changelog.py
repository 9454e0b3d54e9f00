"""How a sink's reader sees a delta: a table of changes, each with its operation and its instant.

`op` is '+I' for a tuple that enters the result and '-D' for one that leaves it. Where columns tell the
rows of a result apart, one that leaves and one that enters with the same values there, at the same
instant, are the two halves of an update: '-U', and right after it '+U'. With the style 'diff' a column
`change` holds +1 and -1 instead, and with '_change_type' a column of that name holds Spark's words. A
control column gives way to a column of the query that has its name, by
underscores put before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.delta import BEGINNING, Delta, Instants
from windrow.errors import SettingError
from windrow.schema import Schema
from windrow.sinks.updates import with_updates

_DELETED, _INSERTED, _UPDATED = 0, 1, 2
_WORDS = {
    "op": ("-D", "+I", "-U", "+U"),
    "_change_type": ("delete", "insert", "update_preimage", "update_postimage"),
}
"""What leaves and what enters: by itself, and as a half of an update."""
_COLUMN = {"op": "op", "diff": "change", "_change_type": "_change_type"}
STYLES = tuple(_COLUMN)
INSTANT = pa.timestamp("us")


def instants(ts: Instants) -> pa.Array[Any]:
    """Microseconds since the epoch as a TIMESTAMP column; what was there before any tuple has none."""
    return pa.array(ts, pa.int64(), mask=ts == BEGINNING).view(INSTANT)


def _free_name(name: str, taken: Iterable[str]) -> str:
    used = {column.lower() for column in taken}
    while name in used:
        name = f"_{name}"
    return name


@dataclass(frozen=True, slots=True)
class Changelog:
    """What a changelog looks like: `style` is one of STYLES.

    `append_only` says that the query never takes a result back, so that `brief` can leave operation and
    instant out; None: they are left out of a delta that has no signs. `key` are the columns that tell the
    rows of a result apart: none if it has one row at most; None if there are no such columns.
    """

    style: str = "op"
    append_only: bool | None = None
    key: Schema | None = None

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise SettingError(
                f"changelog cannot be '{self.style}'", hint=f"choices are: {', '.join(STYLES)}"
            )

    def full(self, delta: Delta) -> pa.Table:
        """Operation, instant (`ts`) and the query's columns."""
        ordered, operation = self._told(delta)
        names = [*self._control(delta.rows.column_names), *delta.rows.column_names]
        return pa.table([operation, instants(ordered.ts), *ordered.rows.columns], names=names)

    def brief(self, delta: Delta) -> pa.Table:
        """The query's columns alone if it only ever adds, else `full`."""
        bare = delta.sign is None if self.append_only is None else self.append_only
        return delta.rows if bare else self.full(delta)

    def empty(self, schema: pa.Schema) -> pa.Table:
        """What `full` gives for no changes."""
        return self.full(Delta.empty(0, schema))

    def _control(self, columns: Iterable[str]) -> tuple[str, str]:
        taken = list(columns)
        return _free_name(_COLUMN[self.style], taken), _free_name("ts", taken)

    def _told(self, delta: Delta) -> tuple[Delta, pa.Array[Any]]:
        """The changes, each update in one piece, and their operations."""
        if self.style == "diff":
            changes = np.ones(len(delta), np.int8) if delta.sign is None else delta.sign
            return delta, pa.array(changes, pa.int32())
        words = pa.array(_WORDS[self.style])
        if delta.sign is None:
            return delta, pa.repeat(words[_INSERTED], len(delta))
        halves = np.zeros(len(delta), np.bool_)
        if self.key is not None and (delta.sign < 0).any():
            delta, halves = with_updates(delta, self.key)
        assert delta.sign is not None
        word = np.where(delta.sign > 0, _INSERTED, _DELETED) + np.where(halves, _UPDATED, 0)
        return delta, words.take(pa.array(word))
