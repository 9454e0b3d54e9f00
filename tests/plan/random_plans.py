"""Random plans over windows of the streams X and Y, and random tuples for them. All columns are numbers."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pyarrow as pa

from tests.plan.building import (
    COLUMNS,
    distinct,
    grouped,
    having,
    join,
    lacking,
    last,
    named,
    newest,
    over,
    stream,
    top,
)
from tests.plan.samples import project, select
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import DistinctInstant, Node, Project, Union

CLOCK = 20
STREAMS = ("X", "Y")


def random_tuples(chance: Random) -> pa.Table:
    """A stream's columns, and the hidden ones that the reference goes by."""
    count = chance.randint(0, 14)
    instants = sorted(chance.randint(0, CLOCK) for _ in range(count))
    values = [[chance.choice([None, 0, 1, 1, 2, 3]) for _ in range(count)] for _ in COLUMNS]
    columns = [*values, instants, list(range(count))]
    names = [*COLUMNS, "__ts", "__n"]
    return pa.table([pa.array(each, pa.int64()) for each in columns], names=names)


def so_far(table: pa.Table, clock: int) -> pa.Table:
    return table.filter(pa.array([ts <= clock for ts in table["__ts"].to_pylist()], pa.bool_()))


def runnable(chance: Random, depth: int) -> Node:
    """A random plan whose answer is known when its instant has come. That of
    OVER is not: while the clock stands at an instant, more peers may come."""
    return RandomPlan(chance, over=False).grown(chance.randint(0, depth))


class RandomPlan:
    """Grows plans from one source of chance, with OVER or without."""

    def __init__(self, chance: Random, *, over: bool = True) -> None:
        self._chance = chance
        self._with_over = over
        self._named = 0

    def grown(self, depth: int) -> Node:
        """A plan over windows."""
        if depth == 0:
            return self._renamed(self._window(self._stream()))
        unary = [self._select, self._project, self._grouped, self._distinct, self._top]
        binary = [self._join, self._join, self._having, self._lacking, self._set_operation, self._union]
        if self._chance.random() < 0.5:
            return self._chance.choice(unary)(self.grown(depth - 1))
        left, right = self.grown(depth - 1), self.grown(self._chance.randint(0, depth - 1))
        return self._chance.choice(binary)(left, right)

    def joined(self, depth: int) -> Node:
        """A plan with much to reorder."""
        if depth == 0:
            return self._renamed(self._window(self._stream()))
        if self._chance.random() < 0.35:
            step = self._chance.choice([self._distinct, self._project, self._select])
            return step(self.joined(depth - 1))
        steps = [self._inner, self._inner, self._inner, self._join, self._having, self._lacking]
        left, right = self.joined(depth - 1), self.joined(self._chance.randint(0, depth - 1))
        return self._chance.choice(steps)(left, right)

    def _stream(self) -> Node:
        node: Node = stream(self._chance.choice(STREAMS))
        steps: list[Callable[[Node], Node]] = [self._select, self._project]
        steps += [self._over] if self._with_over else []
        for _ in range(self._chance.choice([0, 0, 0, 1, 2])):
            node = self._chance.choice(steps)(node)
        if self._chance.random() < 0.1:
            node = Union((node, self._as_wide(stream(self._chance.choice(STREAMS)), node)))
        return DistinctInstant(node) if self._chance.random() < 0.1 else node

    def _window(self, node: Node) -> Node:
        size = self._chance.randint(1, 12)
        slide = self._chance.choice([None, None, 2, 5])
        if self._chance.random() < 0.7:
            return last(node, size, slide)
        return newest(node, size, *self._some(node, 0, 1), slide=slide)

    def _select(self, node: Node) -> Node:
        left, right = self._column(node), self._chance.choice([self._column(node), "1"])
        operator = self._chance.choice(["=", "<", "<>", "IS NOT DISTINCT FROM"])
        return select(node, f"{left} {operator} {right}")

    def _project(self, node: Node) -> Project:
        kept = self._some(node, 1, len(node.schema))
        columns = [(name, self._fresh(), "BIGINT") for name in kept]
        computed = f"{self._column(node)} + 1"
        return project(node, *columns, (computed, self._fresh(), "BIGINT"))

    def _renamed(self, node: Node) -> Project:
        return named(node, **{self._fresh(): name for name in node.schema.names})

    def _over(self, node: Node) -> Node:
        return over(
            node,
            self._chance.randint(0, 9),
            *self._some(node, 0, 1),
            **{self._fresh(): f"max({self._column(node)})"},
        )

    def _grouped(self, node: Node) -> Node:
        keys = self._some(node, 0, 2)
        calls = {self._fresh(): "count(*)", self._fresh(): f"min({self._column(node)})"}
        return grouped(node, *keys, **calls)

    def _distinct(self, node: Node) -> Node:
        return distinct(node)

    def _top(self, node: Node) -> Node:
        return top(
            node, self._chance.randint(1, 4), *self._chance.sample(node.schema.names, len(node.schema))
        )

    def _join(self, left: Node, right: Node) -> Node:
        right = self._apart(right, left)
        kind = self._chance.choice(["inner", "inner", "left", "right", "full"])
        condition = f"{self._column(left)} <= {self._column(right)}"
        where = condition if self._chance.random() < 0.3 else None
        return join(left, right, *self._on(left, right), where=where, kind=kind)

    def _inner(self, left: Node, right: Node) -> Node:
        right = self._apart(right, left)
        where = f"{self._column(left)} <= {self._column(right)}" if self._chance.random() < 0.3 else None
        return join(left, right, f"{self._column(left)} = {self._column(right)}", where=where)

    def _having(self, left: Node, right: Node) -> Node:
        right = self._apart(right, left)
        return having(left, right, *self._on(left, right))

    def _lacking(self, left: Node, right: Node) -> Node:
        right = self._apart(right, left)
        if self._chance.random() < 0.2:
            return lacking(left, right, f"{self._column(left)} = {self._column(right)}", not_in=True)
        return lacking(left, right, *self._on(left, right))

    def _set_operation(self, left: Node, right: Node) -> Node:
        kind = self._chance.choice([Intersect, Except])
        return kind(left, self._as_wide(right, left), self._chance.random() < 0.5)

    def _union(self, left: Node, right: Node) -> Node:
        return Union((left, self._as_wide(right, left)))

    def _on(self, left: Node, right: Node) -> list[str]:
        count = self._chance.choice([0, 1, 1, 1, 2])
        return [f"{self._column(left)} = {self._column(right)}" for _ in range(count)]

    def _apart(self, node: Node, other: Node) -> Node:
        """The same under new names, if another has some of them: a plan joined with itself."""
        return self._renamed(node) if set(node.schema.names) & set(other.schema.names) else node

    def _as_wide(self, node: Node, other: Node) -> Node:
        columns = [(self._column(node), self._fresh(), "BIGINT") for _ in other.schema]
        return project(node, *columns)

    def _some(self, node: Node, least: int, most: int) -> list[str]:
        names = node.schema.names
        return self._chance.sample(names, min(len(names), self._chance.randint(least, most)))

    def _column(self, node: Node) -> str:
        return self._chance.choice(node.schema.names)

    def _fresh(self) -> str:
        self._named += 1
        return f"c{self._named}"
