"""The branches of set operations brought to the same column types; those of UNION merged by timestamp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from windrow.errors import Refused, Span, TypeMismatch
from windrow.language.names import counted
from windrow.language.tokens import DIALECT
from windrow.language.types import common_type
from windrow.plan.nodes import Node, Project, Union
from windrow.schema import Field, Schema


@dataclass(frozen=True)
class Branch:
    """One input of a set operation, and where it is written."""

    node: Node
    span: Span


def merge(branches: Sequence[Branch], word: str) -> Node:
    """The union of two or more branches, with the column names of the first."""
    nodes: list[Node] = []
    for node in alike(branches, word):
        nodes.extend(node.branches if isinstance(node, Union) else (node,))
    return Union(tuple(nodes))


def alike(branches: Sequence[Branch], word: str) -> list[Node]:
    """The branches of an operation, with casts over those whose columns need them."""
    width = len(branches[0].node.schema)
    for branch in branches:
        if (own := len(branch.node.schema)) != width:
            raise Refused(
                f"the {word} begins with {counted(width, 'column')}, and this has {own}",
                branch.span,
                hint="give each the same number of columns",
            )
    types = _common_types(branches, word)
    return [_as_types(branch.node, types) for branch in branches]


def _common_types(branches: Sequence[Branch], word: str) -> tuple[str, ...]:
    columns = zip(*((field.type for field in branch.node.schema) for branch in branches), strict=True)
    return tuple(_common(place, types, branches, word) for place, types in enumerate(columns))


def _common(place: int, types: tuple[str, ...], branches: Sequence[Branch], word: str) -> str:
    found = common_type(types)
    if found is None:
        other = next(number for number, type_ in enumerate(types) if common_type((types[0], type_)) is None)
        name = branches[0].node.schema.names[place]
        raise TypeMismatch(
            f"column {name} of the {word} would be {types[0]} and {types[other]}",
            branches[other].span,
            hint="CAST one to the type of the other",
        )
    return found


def _as_types(node: Node, types: Sequence[str]) -> Node:
    """The node itself if its columns have these types already; else with casts over it."""
    if tuple(field.type for field in node.schema) == tuple(types):
        return node
    expressions = tuple(_cast(field, type_) for field, type_ in zip(node.schema, types, strict=True))
    output = Schema(
        tuple(Field(field.name, type_) for field, type_ in zip(node.schema, types, strict=True))
    )
    return Project(node, expressions, output)


def _cast(field: Field, type_: str) -> exp.Expr:
    column = exp.column(field.name, quoted=True)
    if field.type == type_:
        return column
    return exp.Cast(this=column, to=exp.DataType.build(type_, dialect=DIALECT))
