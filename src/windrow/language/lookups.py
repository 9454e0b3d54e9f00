"""Joins with NRRs: each tuple meets the rows as they are when it comes, and that is that.

So they are made where nothing is taken back: below negation, outer joins and the like, and below windows
with a SLIDE, which let tuples in later. Below a window of so many tuples their number has to stay: each
meets one row at most, as all of the NRR's key is compared, and those without one are told apart above.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlglot import exp

from windrow.language.conditions import conjunction, only_columns
from windrow.plan.joins import (
    Join,
    Keys,
    Negation,
    RelationHalfJoin,
    RelationJoin,
    RelationScan,
    SemiJoin,
)
from windrow.plan.nodes import Node, Project, Select
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Extent, OutputWindow, Window
from windrow.schema import Schema

Meeting: TypeAlias = Callable[[Node, Keys], Node]
"""What makes the join of some tuples by keys."""


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
                self.left, lambda left: self._join(left, self.keys, kind, self.condition)
            )
        if kind == "left" and self.condition is not None:
            return None
        found = self._below(self.left, self.keys, lambda left, keys: self._join(left, keys, kind))
        found = found or self._one_each()
        return Select(found, self._met()) if found and kind == "inner" else found

    def halved(self, *, anti: bool, null_aware: bool) -> Node | None:
        """The tuples that have met a row, or have not; None where nobody could take these back."""

        def half(left: Node, keys: Keys) -> Node:
            return RelationHalfJoin(left, self.rows, keys, self.condition, anti, null_aware)

        if self.left.pattern is not Pattern.STR:
            return _where_they_come(self.left, lambda left: half(left, self.keys))
        found = None if null_aware else self._one_each()
        if found is None:
            return None
        met = self._met()
        if anti:
            met = exp.Not(this=exp.Coalesce(this=exp.Paren(this=met), expressions=[exp.false()]))
        return only_columns(Select(found, met), self.left.schema.names)

    def _join(
        self, left: Node, keys: Keys, kind: Literal["inner", "left"], condition: exp.Expr | None = None
    ) -> Node:
        return RelationJoin(left, self.rows, keys, condition, kind, retroactive=False)

    def _met(self) -> exp.Expr:
        """Of a tuple with the row of its key, or with NULLs: whether that is one that was asked for."""
        is_null = exp.Is(this=exp.column(self.keys[0][1], quoted=True), expression=exp.Null())
        met = conjunction([exp.Not(this=is_null), *([self.condition] if self.condition else [])])
        assert met is not None
        return met

    def _one_each(self) -> Node | None:
        """Each tuple with the row of its key, or with NULLs."""
        compared = {_declared(self.rows, name) for _, name in self.keys}
        relation = _relation(self.rows)
        if not relation.relation.key or not compared.issuperset(relation.relation.key):
            return None
        return self._below(
            self.left, self.keys, lambda left, keys: self._join(left, keys, "left"), counted=True
        )

    def _below(self, node: Node, keys: Keys, meet: Meeting, *, counted: bool = False) -> Node | None:
        """A part of the left side, beside its columns those of the rows that tuples have met.

        `counted` says that there are as many tuples after the meeting as before.
        """
        if node.pattern is not Pattern.STR:
            taken = {name.lower() for name in node.schema.names}
            if not keys or taken & {name.lower() for name in self.rows.schema.names}:
                return None
            return _where_they_come(node, lambda left: meet(left, keys))
        place = _leads_down(node, keys, counted=counted)
        if place is None:
            return None
        passed = node.passes[place]
        renamed = tuple((passed[name.lower()], other) for name, other in keys)
        below = self._below(node.inputs[place], renamed, meet, counted=counted)
        if below is None:
            return None
        if isinstance(node, Project):
            added = (exp.column(name, quoted=True) for name in self.rows.schema.names)
            return Project(below, (*node.expressions, *added), Schema((*node.output, *self.rows.schema)))
        inputs = (*node.inputs[:place], below, *node.inputs[place + 1 :])
        try:
            return node.over(*inputs)
        except ValueError:
            return None  # the other side has columns of the same names


def _leads_down(node: Node, keys: Keys, *, counted: bool) -> int | None:
    """The input whose tuples may meet rows before the step as well as after it, if it has the keys."""
    match node:
        case Window() | OutputWindow():
            places = [0] if counted and node.spec.extent is Extent.COUNT else []
        case Join():
            places = {"inner": [0, 1], "left": [0], "right": [1], "full": []}[node.kind]
        case Select() | Project() | Negation() | SemiJoin() | RelationJoin():
            places = [0]
        case _:
            places = []
    return next(
        (place for place in places if all(name.lower() in node.passes[place] for name, _ in keys)), None
    )


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
