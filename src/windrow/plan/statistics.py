"""What is known of streams and relations when a query is planned: how fast, how many, how varied.

It is written down with the query, so that the same text has the same plan wherever and whenever it is
planned again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

RATE = 100.0
"""Tuples a second of a stream that nothing is known of."""
ROWS = 1000.0
"""Rows of a relation, likewise."""
VALUES = 1000.0
"""Different values of a column, likewise."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What was seen of one stream or relation."""

    rate: float | None = None
    """Tuples a second."""
    rows: float | None = None
    """Of a relation."""
    values: tuple[tuple[str, float], ...] = ()
    """How many different values a column, named in small letters, has."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What was seen, by the names of streams and relations in small letters; defaults for the rest."""

    seen: tuple[tuple[str, Observed], ...] = field(default=())

    @classmethod
    def of(cls, **seen: Observed) -> Statistics:
        return cls(tuple(sorted(seen.items())))

    @classmethod
    def read(cls, text: str) -> Statistics:
        """From what `text` gave; of an empty text, nothing."""
        told = json.loads(text) if text else {}
        return cls(
            tuple(
                (name, Observed(each.get("rate"), each.get("rows"), tuple(each.get("values", {}).items())))
                for name, each in told.items()
            )
        )

    @property
    def text(self) -> str:
        """As text, to be written down; empty if nothing was seen."""
        told = {name: _told(each) for name, each in self.seen}
        return json.dumps(told) if told else ""

    def rate(self, stream: str) -> float:
        found = self._of(stream).rate
        return RATE if found is None else found

    def rows(self, relation: str) -> float:
        found = self._of(relation).rows
        return ROWS if found is None else found

    def values(self, name: str, column: str) -> float | None:
        """How many different values a column has; None where nobody knows."""
        return dict(self._of(name).values).get(column.lower())

    def _of(self, name: str) -> Observed:
        return dict(self.seen).get(name.lower(), _NOTHING)


_NOTHING = Observed()


def _told(each: Observed) -> dict[str, object]:
    told = {"rate": each.rate, "rows": each.rows, "values": dict(each.values)}
    return {name: value for name, value in told.items() if value}
