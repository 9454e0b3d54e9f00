"""Joins with NRRs: each tuple meets the rows as they are when it comes, and that is that.

So they are made where tuples come: below a window with a SLIDE, which lets them in later, and below one of
so many tuples, whose negative tuples nobody could join once more. There the number of tuples has to stay:
each meets one row at most, as all of the NRR's key is compared, and those without one are told apart above.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from windrow.language.conditions import conjunction, only_columns
from windrow.plan.joins import Keys, RelationHalfJoin, RelationJoin, RelationScan
from windrow.plan.nodes import Node, Project, Select
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Extent, Window
from windrow.schema import Schema


@dataclass(frozen=True)
class Lookup:
    """Tuples, the rows of an NRR, and what brings them together."""

    left: Node
    rows: Node
    keys: Keys
    condition: exp.Expr | None

    def joined(self, kind: Literal["inner", "left"]) -> Node | None:
        """The tuples with the rows that they have met; None where nobody could take these back."""
        if self.left.pattern is not Pattern.STR:
            return _where_they_come(
                self.left,
                lambda left: RelationJoin(
                    left, self.rows, self.keys, self.condition, kind, retroactive=False
                ),
            )
        if kind == "inner":
            return None if (found := self._one_each()) is None else Select(found, self._met())
        return self._one_each() if self.condition is None else None

    def halved(self, *, anti: bool, null_aware: bool) -> Node | None:
        """The tuples that have met a row, or have not; None where nobody could take these back."""
        if self.left.pattern is not Pattern.STR:
            return _where_they_come(
                self.left,
                lambda left: RelationHalfJoin(left, self.rows, self.keys, self.condition, anti, null_aware),
            )
        found = None if null_aware else self._one_each()
        if found is None:
            return None
        met = self._met()
        if anti:
            met = exp.Not(this=exp.Coalesce(this=exp.Paren(this=met), expressions=[exp.false()]))
        return only_columns(Select(found, met), self.left.schema.names)

    def _met(self) -> exp.Expr:
        """Of a tuple with the row of its key, or with NULLs: whether that is one that was asked for."""
        is_null = exp.Is(this=exp.column(self.keys[0][1], quoted=True), expression=exp.Null())
        met = conjunction([exp.Not(this=is_null), *([self.condition] if self.condition else [])])
        assert met is not None
        return met

    def _one_each(self) -> Node | None:
        """Each tuple of a window of so many with the row of its key, or with NULLs."""
        unique = {_declared(self.rows, name) for _, name in self.keys}
        relation = _relation(self.rows)
        if not relation.relation.key or not unique.issuperset(relation.relation.key):
            return None
        return self._below(self.left, self.keys)

    def _below(self, node: Node, keys: Keys) -> Node | None:
        """A part of the left side, beside its columns those of the rows that tuples have met."""
        if isinstance(node, Window) and node.spec.extent is Extent.COUNT:
            taken = {name.lower() for name in node.input.schema.names}
            if taken & {name.lower() for name in self.rows.schema.names}:
                return None
            return node.over(RelationJoin(node.input, self.rows, keys, None, "left", retroactive=False))
        if not isinstance(node, Select | Project):
            return None
        passed = node.passes[0]
        if not all(name.lower() in passed for name, _ in keys):
            return None
        below = self._below(node.input, tuple((passed[name.lower()], other) for name, other in keys))
        if below is None or isinstance(node, Select):
            return None if below is None else node.over(below)
        added = (exp.column(name, quoted=True) for name in self.rows.schema.names)
        return Project(below, (*node.expressions, *added), Schema((*node.output, *self.rows.schema)))


def _where_they_come(node: Node, join: Callable[[Node], Node]) -> Node:
    node = _slide_raised(node)
    if isinstance(node, Window) and node.spec.slide is not None:
        return node.over(join(node.input))
    return join(node)


def _slide_raised(node: Node) -> Node:
    """The same results; a window with a SLIDE goes last, after what chooses and computes."""
    if isinstance(node, Select | Project):
        below = _slide_raised(node.input)
        if isinstance(below, Window) and below.spec.slide is not None and below.exposed is None:
            return below.over(node.over(below.input))
    return node


def _relation(rows: Node) -> RelationScan:
    while isinstance(rows, Select | Project):
        rows = rows.input
    assert isinstance(rows, RelationScan)
    return rows


def _declared(rows: Node, name: str) -> str | None:
    """The name with which a column of some rows is declared; None if it is computed."""
    while isinstance(rows, Select | Project):
        found = rows.passes[0].get(name.lower())
        if found is None:
            return None
        rows, name = rows.input, found
    return name
