"""The cheapest of the plans that mean the same.

Alternatives are applied one after another, always to the cheapest plan that they were not applied to yet,
until no new plan comes, or too many. Of plans that cost the same the one with the fewest steps away from
the query as it was written is chosen.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, fields

from windrow.plan.cost import cost
from windrow.plan.distribute import distribute
from windrow.plan.estimates import Estimator
from windrow.plan.expiration import Expiration, expiring
from windrow.plan.joins import Join
from windrow.plan.nodes import Leaf, Node, Project, walk
from windrow.plan.panes import in_panes
from windrow.plan.rules.alternatives import ALTERNATIVES, everywhere
from windrow.plan.rules.optimizer import finish, simplify, tidy
from windrow.plan.statistics import Statistics

MOST = 24
"""So many plans are looked at, or fewer of large ones:"""
STEPS = 1000
"""so many steps in all."""
WORTH = 0.98
"""A plan is left only for one that costs less than this share of it: guesses are no better."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A plan that was looked at."""

    steps: tuple[str, ...]
    """The rules that led to it, in their order; none to the plan as written."""
    cost: float


@dataclass(frozen=True, slots=True)
class Choice:
    """The plan that was chosen, and what it was chosen from."""

    plan: Node
    alternatives: tuple[Alternative, ...]
    """The cheapest first; the chosen one is the first."""


def choose(bound: Node, statistics: Statistics | None = None, how: Expiration = Expiration.UPA) -> Choice:
    """The plan for a query as it was bound, with ends told in one of the ways."""
    search = _Search(Estimator(statistics or Statistics()), how)
    found = sorted(search.plans(simplify(bound)), key=lambda each: (each.cost, each.number))
    best = found[0] if found[0].cost < WORTH * _first(found).cost else _first(found)
    ordered = (best, *(each for each in found if each is not best))
    return Choice(best.plan, tuple(Alternative(each.steps, each.cost) for each in ordered))


@dataclass(frozen=True, slots=True)
class _Candidate:
    number: int
    steps: tuple[str, ...]
    shape: Node
    """Before its ends and changes are told."""
    plan: Node
    cost: float


class _Search:
    def __init__(self, estimator: Estimator, how: Expiration) -> None:
        self._estimator = estimator
        self._how = how

    def plans(self, first: Node) -> Iterator[_Candidate]:
        seen = {_signature(first)}
        most = min(MOST, STEPS // sum(1 for _ in walk(first)))
        start = self._candidate(0, (), first)
        waiting = [(start.cost, 0, start)]
        yield start
        while waiting:
            _, _, candidate = heapq.heappop(waiting)
            for name, shape in _neighbours(candidate.shape):
                signature = _signature(shape)
                if signature in seen:
                    continue
                if len(seen) >= most:
                    return
                found = self._candidate(len(seen), (*candidate.steps, name), shape)
                seen.add(signature)
                heapq.heappush(waiting, (found.cost, found.number, found))
                yield found

    def _candidate(self, number: int, steps: tuple[str, ...], shape: Node) -> _Candidate:
        plan = expiring(finish(shape), self._how)
        if self._how is Expiration.UPA:
            plan = in_panes(plan)
        return _Candidate(number, steps, shape, plan, cost(distribute(plan), self._estimator))


def _neighbours(shape: Node) -> Iterator[tuple[str, Node]]:
    for rule in ALTERNATIVES:
        for each in everywhere(rule, shape):
            yield rule.__name__, tidy(each)


def _signature(shape: Node) -> Hashable:
    """What a plan is, but for which side of a join is which, and the order of columns between steps."""
    if isinstance(shape, Join) and shape.kind == "inner":
        sides = frozenset(map(_signature, shape.inputs))
        return sides, frozenset(map(frozenset, shape.keys)), shape.condition
    if isinstance(shape, Project):
        named = zip(shape.output.names, shape.expressions, strict=True)
        return frozenset(named), _signature(shape.input)
    if isinstance(shape, Leaf):
        return shape
    values = (getattr(shape, field.name) for field in fields(shape))
    own = tuple(
        value for value in values if not any(value is each for each in (*shape.inputs, shape.inputs))
    )
    return shape.label, own, *map(_signature, shape.inputs)


def _first(found: list[_Candidate]) -> _Candidate:
    return next(each for each in found if each.number == 0)
