"""The words to write plans over windows in a line."""

from __future__ import annotations

from typing import Literal

from sqlglot import exp

from tests.plan.samples import sql
from windrow.catalog import Stamping, Stream
from windrow.plan.grouping import Distinct, Frame, GroupBy, Over, TopK
from windrow.plan.joins import Join, Negation, SemiJoin
from windrow.plan.nodes import Node, Project, Scan
from windrow.plan.windows import Extent, Window, WindowSpec
from windrow.schema import Field, Schema

NUMBERS = Schema.of(("a", "BIGINT"), ("b", "BIGINT"), ("c", "BIGINT"), ("t", "TIMESTAMP"))
COLUMNS = ("a", "b", "c")


def stream(name: str) -> Scan:
    """A stream of numbers; which of its columns are read leaves the timestamp out."""
    return Scan(Stream(name, NUMBERS, Stamping.EXTERNAL, "t"), COLUMNS)


def last(input_: Node, size: int, slide: int | None = None) -> Window:
    """[RANGE size SLIDE slide], in microseconds."""
    return Window(input_, WindowSpec(Extent.TIME, size, slide))


def newest(input_: Node, size: int, *partition: str, slide: int | None = None) -> Window:
    """[PARTITION BY … ROWS size SLIDE slide]."""
    return Window(input_, WindowSpec(Extent.COUNT, size, slide, partition))


def window(name: str, size: int = 10) -> Window:
    return last(stream(name), size)


def named(input_: Node, **names: str) -> Project:
    """Columns of the input under new names: new="old"."""
    expressions = tuple(exp.column(old, quoted=True) for old in names.values())
    fields = (input_.schema.find(old) for old in names.values())
    types = [field.type for field in fields if field]
    return Project(input_, expressions, Schema(tuple(map(Field, names, types))))


def grouped(input_: Node, *keys: str, **calls: str) -> GroupBy:
    """Aggregates that give a BIGINT, by keys: name="call"."""
    return GroupBy(input_, keys, tuple(map(sql, calls.values())), tuple(Field(n, "BIGINT") for n in calls))


def over(input_: Node, size: int, *partition: str, extent: Extent = Extent.TIME, **calls: str) -> Over:
    fields = tuple(Field(name, "BIGINT") for name in calls)
    return Over(input_, tuple(map(sql, calls.values())), fields, partition, Frame(extent, size))


Kind = Literal["inner", "left", "right", "full"]


def join(left: Node, right: Node, *on: str, where: str | None = None, kind: Kind = "inner") -> Join:
    """Keys as "left = right"."""
    return Join(left, right, pairs(on), None if where is None else sql(where), kind)


def having(left: Node, right: Node, *on: str, where: str | None = None) -> SemiJoin:
    return SemiJoin(left, right, pairs(on), None if where is None else sql(where))


def lacking(left: Node, right: Node, *on: str, where: str | None = None, not_in: bool = False) -> Negation:
    return Negation(left, right, pairs(on), None if where is None else sql(where), not_in)


def distinct(input_: Node) -> Distinct:
    return Distinct(input_)


def top(input_: Node, limit: int, *order: str) -> TopK:
    return TopK(input_, tuple(exp.Ordered(this=sql(each), nulls_first=False) for each in order), limit)


def shape(node: Node) -> str:
    """A plan on one line, to compare."""
    return f"{node.label} {node.detail} ({', '.join(map(shape, node.inputs))})"


def pairs(on: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    split = (each.split(" = ") for each in on)
    return tuple((left, right) for left, right in split)
