"""Logical plan nodes: frozen declarations that refuse to be built wrong.

Expressions are sqlglot trees in DuckDB's dialect in which every `exp.Column` names, unqualified,
a column of the node's input; the binder sees to it. Every node knows the schema that it gives,
its distribution, and the update pattern of its output edge.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

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


@dataclass(frozen=True)
class Node(ABC):
    """A step of a plan."""

    label: ClassVar[str]

    @property
    @abstractmethod
    def inputs(self) -> tuple[Node, ...]: ...

    @abstractmethod
    def over(self, *inputs: Node) -> Node:
        """The same step over other inputs."""

    @property
    @abstractmethod
    def schema(self) -> Schema: ...

    @property
    def pattern(self) -> Pattern:
        """The update pattern of the output edge; by default the hardest of the inputs'."""
        return max(node.pattern for node in self.inputs)

    @property
    def distribution(self) -> Distribution:
        return ANY

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

    def over(self, *inputs: Node) -> Node:
        return self


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
class Select(Node):
    """The tuples for which a predicate is true."""

    label: ClassVar[str] = "Select"
    input: Node
    predicate: exp.Expr

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    def over(self, *inputs: Node) -> Node:
        (input_,) = inputs
        return replace(self, input=input_)

    @property
    def schema(self) -> Schema:
        return self.input.schema

    @property
    def detail(self) -> str:
        return _sql(self.predicate)


@dataclass(frozen=True)
class Project(Node):
    """New columns, computed from each tuple by itself. Timestamps pass unseen beside them."""

    label: ClassVar[str] = "Project"
    input: Node
    expressions: tuple[exp.Expr, ...]
    output: Schema

    def __post_init__(self) -> None:
        if len(self.expressions) != len(self.output):
            raise ValueError("a projection needs one name and type for each expression")

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    def over(self, *inputs: Node) -> Node:
        (input_,) = inputs
        return replace(self, input=input_)

    @property
    def schema(self) -> Schema:
        return self.output

    @property
    def detail(self) -> str:
        return ", ".join(map(_named, self.expressions, self.output.names))


@dataclass(frozen=True)
class Calculate(Node):
    """A selection and then a projection, in one: what runs where the plan has either or both."""

    label: ClassVar[str] = "Calculate"
    input: Node
    predicate: exp.Expr | None
    """None: all tuples."""
    expressions: tuple[exp.Expr, ...] | None
    """None: the columns of the input."""
    output: Schema

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    def over(self, *inputs: Node) -> Node:
        (input_,) = inputs
        return replace(self, input=input_)

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
    def inputs(self) -> tuple[Node, ...]:
        return self.branches

    def over(self, *inputs: Node) -> Node:
        return replace(self, branches=inputs)

    @property
    def schema(self) -> Schema:
        return self.branches[0].schema


@dataclass(frozen=True)
class DistinctInstant(Node):
    """One of all equal tuples with the same timestamp: what UNION without ALL means on streams.

    The binder builds it only over columns that include the timestamp, so equal tuples are of one
    instant, and what has to be remembered is the newest instant.
    """

    label: ClassVar[str] = "DistinctInstant"
    input: Node

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    def over(self, *inputs: Node) -> Node:
        (input_,) = inputs
        return replace(self, input=input_)

    @property
    def schema(self) -> Schema:
        return self.input.schema

    @property
    def distribution(self) -> Distribution:
        return Distribution("hash", self.schema.names)


def leaves(node: Node) -> tuple[Leaf, ...]:
    """The leaves of a plan, from left to right."""
    if isinstance(node, Leaf):
        return (node,)
    return tuple(leaf for child in node.inputs for leaf in leaves(child))


def scans(node: Node) -> tuple[Scan, ...]:
    """The scans of a plan, from left to right."""
    return tuple(leaf for leaf in leaves(node) if isinstance(leaf, Scan))


def origins(node: Node) -> tuple[str, ...]:
    """The names of the streams that a plan's tuples come from, each once."""
    return tuple(dict.fromkeys(name for leaf in leaves(node) for name in leaf.origins))


def _sql(expression: exp.Expr) -> str:
    """An expression to read: names are quoted only where they look like no name."""
    shown = expression.copy()
    for name in shown.find_all(exp.Identifier):
        name.set("quoted", not name.name.isidentifier())
    return shown.sql(dialect="duckdb")


def _named(expression: exp.Expr, name: str) -> str:
    """An expression and, unless it has it anyway, its name."""
    same = isinstance(expression, exp.Column) and expression.name == name
    return name if same else f"{_sql(expression)} AS {name}"
