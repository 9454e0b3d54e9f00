"""What all parts of one query's binding share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from windrow.catalog import Catalog
from windrow.errors import Span
from windrow.language.scope import Relation, Scope
from windrow.language.spans import span_of
from windrow.language.tokens import Source
from windrow.plan.nodes import Node


class NotIncremental(Exception):
    """A query has something that no incremental step computes; it may be re-evaluated as a whole."""


@dataclass(frozen=True)
class Context:
    """The query's text, what can be named, and the way back to the binder for queries inside."""

    source: Source
    span: Span
    catalog: Catalog
    bind: Callable[[exp.Expr, Context], Node]
    """The plan of a query inside this one."""
    allow_unbounded: bool = False
    named: Mapping[str, Node] = field(default_factory=dict)
    """The queries of WITH, by their names in small letters."""

    def knows(self, name: str) -> bool:
        """Whether there is something of this name to read."""
        return name.lower() in self.named or self.catalog.named(name) is not None

    def query(self, tree: exp.Expr) -> Node:
        return self.bind(tree, self)

    def scope(self, *relations: Relation, outer: Scope | None = None) -> Scope:
        return Scope(self.source, self.span, relations, outer=outer)

    def place(self, tree: exp.Expr) -> Span:
        return span_of(tree, self.source, self.span)

    def with_named(self, name: str, node: Node) -> Context:
        return replace(self, named={**self.named, name.lower(): node})


@dataclass
class Names:
    """Names of columns within one SELECT: the inputs of a join may not share any."""

    taken: set[str] = field(default_factory=set)
    """In small letters."""

    def fresh(self, wanted: str) -> str:
        """The name, or the name with a number; taken from now on."""
        name, number = wanted, 0
        while name.lower() in self.taken:
            number += 1
            name = f"{wanted}_{number}"
        self.taken.add(name.lower())
        return name

    def take(self, names: Iterable[str]) -> None:
        self.taken.update(name.lower() for name in names)
