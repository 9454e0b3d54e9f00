"""Logical plan nodes: frozen declarations that refuse to be built wrong.

Expressions are sqlglot trees in DuckDB's dialect in which every `exp.Column` names, unqualified,
a column of the node's input; the binder sees to it. Every node knows the schema that it gives,
its distribution, and the update pattern of its output edge. What asks the inputs for theirs is kept:
a plan that asked anew at each step would ask for ever.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Self, TypeAlias

from sqlglot import exp

from windrow.catalog import Stream
from windrow.plan.patterns import Pattern
from windrow.schema import Schema


@dataclass(frozen=True)
class Distribution:
    """Where a node's input tuples must be: anywhere, together by key, or all in one place."""

    kind: str = "any"
    keys: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"hash({', '.join(self.keys)})" if self.kind == "hash" else self.kind


ANY = Distribution()
SINGLE = Distribution("single")

Passed: TypeAlias = Mapping[str, str]
"""Columns of a result that are those of an input, unchanged: by their name, in small letters, the
name that they have there."""


@dataclass(frozen=True)
class Node(ABC):
    """A step of a plan."""

    label: ClassVar[str]
    scanned: bool = field(default=False, kw_only=True)
    """It keeps what ends in no foreseen order as it came, and scans it: the direct approach."""

    @property
    @abstractmethod
    def inputs(self) -> tuple[Node, ...]: ...

    @abstractmethod
    def over(self, *inputs: Node) -> Node:
        """The same step over other inputs; itself, if they are its own."""

    @property
    @abstractmethod
    def schema(self) -> Schema: ...

    @cached_property
    def pattern(self) -> Pattern:
        """The update pattern of the output edge; by default the hardest of the inputs'."""
        return max(node.pattern for node in self.inputs)

    @property
    def lifetime(self) -> int | None:
        """How long each result counts, in microseconds, where that is one length: on WKS edges."""
        return self.inputs[0].lifetime if self.inputs and self.pattern is Pattern.WKS else None

    @cached_property
    def steps(self) -> int:
        """How many there are in the plan that ends here."""
        return 1 + sum(node.steps for node in self.inputs)

    @cached_property
    def passes(self) -> tuple[Passed, ...]:
        """For each input, the columns that every result that comes of it has from a tuple there;
        unless a node says otherwise, those of the same name."""
        return tuple(same_names(self.schema, each.schema) for each in self.inputs)

    @property
    def distribution(self) -> Distribution:
        """Where the tuples of every input must be."""
        return ANY

    @property
    def distributions(self) -> tuple[Distribution, ...]:
        """Where the tuples of each input must be. Hash keys at the same place correspond: tuples of
        different inputs that agree on them belong together."""
        return (self.distribution,) * len(self.inputs)

    @property
    def keeps_state(self) -> bool:
        """Whether what it gives depends on what came before. A stage that reads streams keeps none:
        it runs on several slices of time at once."""
        return True

    @property
    def detail(self) -> str:
        """What EXPLAIN says after the label."""
        return ""


@dataclass(frozen=True)
class Leaf(Node):
    """Where tuples enter a plan, or a stage of it."""

    @property
    @abstractmethod
    def origins(self) -> tuple[str, ...]:
        """The names of the streams that its tuples come from."""

    @property
    def inputs(self) -> tuple[Node, ...]:
        return ()

    @property
    def keeps_state(self) -> bool:
        return False

    def over(self, *inputs: Node) -> Node:
        return self


@dataclass(frozen=True)
class Unary(Node):
    """A step with one input, whose columns it passes on unless it says otherwise."""

    input: Node

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    def over(self, *inputs: Node) -> Self:
        (input_,) = inputs
        return self if input_ is self.input else replace(self, input=input_)

    @cached_property
    def schema(self) -> Schema:
        return self.input.schema


@dataclass(frozen=True)
class Binary(Node):
    """A step with two inputs."""

    left: Node
    right: Node

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    def over(self, *inputs: Node) -> Self:
        left, right = inputs
        same = left is self.left and right is self.right
        return self if same else replace(self, left=left, right=right)


@dataclass(frozen=True)
class Scan(Leaf):
    """The tuples of a stream as they come: a leaf. A stream without a window is monotonic."""

    label: ClassVar[str] = "Scan"
    stream: Stream
    columns: tuple[str, ...]
    """Those that are read, in the stream's order."""

    @property
    def origins(self) -> tuple[str, ...]:
        return (self.stream.name,)

    @property
    def detail(self) -> str:
        return self.stream.name

    @property
    def schema(self) -> Schema:
        return self.stream.schema.keep(self.columns)

    @property
    def pattern(self) -> Pattern:
        return Pattern.MON


@dataclass(frozen=True)
class Select(Unary):
    """The tuples for which a predicate is true."""

    label: ClassVar[str] = "Select"
    predicate: exp.Expr

    @property
    def keeps_state(self) -> bool:
        return False

    @property
    def detail(self) -> str:
        return sql_of(self.predicate)


@dataclass(frozen=True)
class Project(Unary):
    """New columns, computed from each tuple by itself. Timestamps pass unseen beside them."""

    label: ClassVar[str] = "Project"
    expressions: tuple[exp.Expr, ...]
    output: Schema

    def __post_init__(self) -> None:
        if len(self.expressions) != len(self.output):
            raise ValueError("a projection needs one name and type for each expression")

    @property
    def keeps_state(self) -> bool:
        return False

    @property
    def schema(self) -> Schema:
        return self.output

    @cached_property
    def passes(self) -> tuple[Passed, ...]:
        source = self.input.schema
        pairs = zip(self.expressions, self.output, strict=True)
        same = {
            field.name.lower(): found.name
            for each, field in pairs
            if isinstance(each, exp.Column)
            and (found := source.find(each.name))
            and found.type == field.type
        }
        return (same,)

    @property
    def detail(self) -> str:
        return ", ".join(map(named_sql, self.expressions, self.output.names))


@dataclass(frozen=True)
class Calculate(Unary):
    """A selection and then a projection, in one: what runs where the plan has either or both."""

    label: ClassVar[str] = "Calculate"
    predicate: exp.Expr | None
    """None: all tuples."""
    expressions: tuple[exp.Expr, ...] | None
    """None: the columns of the input."""
    output: Schema

    @property
    def keeps_state(self) -> bool:
        return False

    @property
    def schema(self) -> Schema:
        return self.output


@dataclass(frozen=True)
class Union(Node):
    """The tuples of all inputs, merged by timestamp; ties in the order of the inputs.

    Columns match by position, types are equal (the binder casts), names are the first input's.
    """

    label: ClassVar[str] = "Union"
    branches: tuple[Node, ...]

    def __post_init__(self) -> None:
        types = [tuple(field.type for field in node.schema) for node in self.branches]
        if len(types) < 2 or any(other != types[0] for other in types):
            raise ValueError("a union needs two or more inputs with the same column types")

    @property
    def keeps_state(self) -> bool:
        return False

    @property
    def inputs(self) -> tuple[Node, ...]:
        return self.branches

    def over(self, *inputs: Node) -> Self:
        same = all(map(operator.is_, inputs, self.branches))
        return self if same else replace(self, branches=inputs)

    @property
    def schema(self) -> Schema:
        return self.branches[0].schema

    @cached_property
    def passes(self) -> tuple[Passed, ...]:
        return tuple(same_places(self.schema, branch.schema) for branch in self.branches)

    @cached_property
    def pattern(self) -> Pattern:
        """The hardest of the branches'; WKS only if all results live equally long."""
        hardest = super().pattern
        lifetimes = {branch.lifetime for branch in self.branches}
        if hardest is Pattern.WKS and (None in lifetimes or len(lifetimes) > 1):
            return Pattern.WK
        return hardest


@dataclass(frozen=True)
class DistinctInstant(Unary):
    """One of all equal tuples with the same timestamp: what UNION without ALL means on streams.

    The binder builds it only over columns that include the timestamp, so equal tuples are of one
    instant, and what has to be remembered is the newest instant.
    """

    label: ClassVar[str] = "DistinctInstant"

    @property
    def distribution(self) -> Distribution:
        return Distribution("hash", self.schema.names)


def same_names(schema: Schema, source: Schema) -> Passed:
    """The columns of a schema that another has, too."""
    there = {name.lower(): name for name in source.names}
    return {name.lower(): there[name.lower()] for name in schema.names if name.lower() in there}


def same_places(schema: Schema, source: Schema) -> Passed:
    """The columns of a schema with those of another, first with first."""
    return {name.lower(): other for name, other in zip(schema.names, source.names, strict=True)}


def walk(node: Node) -> Iterator[Node]:
    """The nodes of a plan, each before its inputs."""
    yield node
    for child in node.inputs:
        yield from walk(child)


def depth(node: Node) -> int:
    """How many steps the longest way through a plan has."""
    deepest, waiting = 0, [(node, 1)]
    while waiting:
        each, above = waiting.pop()
        deepest = max(deepest, above)
        waiting += ((below, above + 1) for below in each.inputs)
    return deepest


def leaves(node: Node) -> tuple[Leaf, ...]:
    """The leaves of a plan, from left to right."""
    return tuple(each for each in walk(node) if isinstance(each, Leaf))


def scans(node: Node) -> tuple[Scan, ...]:
    """The scans of a plan, from left to right."""
    return tuple(leaf for leaf in leaves(node) if isinstance(leaf, Scan))


def origins(node: Node) -> tuple[str, ...]:
    """The names of the streams that a plan's tuples come from, each once."""
    return tuple(dict.fromkeys(name for leaf in leaves(node) for name in leaf.origins))


def sql_of(expression: exp.Expr) -> str:
    """An expression to read: names are quoted only where they look like no name."""
    shown = expression.copy()
    for name in shown.find_all(exp.Identifier):
        name.set("quoted", not name.name.isidentifier())
    return shown.sql(dialect="duckdb")


def named_sql(expression: exp.Expr, name: str) -> str:
    """An expression and, unless it has it anyway, its name."""
    same = isinstance(expression, exp.Column) and expression.name == name
    return name if same else f"{sql_of(expression)} AS {name}"
