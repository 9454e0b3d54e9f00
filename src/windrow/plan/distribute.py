"""Exchanges put into a plan, so that tuples are where each step needs them.

A stage that reads streams runs on several slices of time at once, so a step that keeps state is
never in it. Where several keys would do for an exchange, what the steps above need decides: a *wish*,
told from the top downwards. It is fulfilled by any part of its keys, and costs nothing if it is not.

What comes from several places is in time order, but nobody knows there which of two tuples of one instant
came first. Where that counts, all steps between the streams and the one that asks run in one place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from windrow.plan.exchange import Exchange, level
from windrow.plan.grouping import Accumulate, GroupBy, Over
from windrow.plan.joins import RelationHalfJoin, RelationJoin
from windrow.plan.nodes import (
    ANY,
    SINGLE,
    DistinctInstant,
    Distribution,
    Leaf,
    Node,
    Project,
    Select,
    Union,
    walk,
)
from windrow.plan.placement import ANYWHERE, ONE_PLACE, Placement, lies, placement, told
from windrow.plan.windows import Extent, OutputWindow, Window

_ONE_BY_ONE = (
    *(Accumulate, DistinctInstant, Exchange, Leaf, Over, Project),
    *(RelationHalfJoin, RelationJoin, Select, Union, Window),
)
"""What gives the tuples of streams in the order in which they came."""
_IN_ANY_ORDER = (
    *(exp.Avg, exp.Count, exp.CountIf, exp.LogicalAnd, exp.LogicalOr, exp.Max, exp.Median, exp.Min),
    *(exp.PercentileCont, exp.PercentileDisc, exp.Quantile, exp.Stddev, exp.StddevPop, exp.StddevSamp),
    *(exp.Sum, exp.Variance, exp.VariancePop),
)
"""Aggregates that give the same whatever tuple came first."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A plan with its exchanges, the stage that its root runs in, and how the root's output lies."""

    node: Node
    level: int
    lies: Placement

    def sent(self, to: Distribution) -> _Placed:
        return _Placed(_exchanged(self.node, to), self.level + 1, Placement.by(to))

    def raised(self, level: int, to: Distribution) -> _Placed:
        """Sent on as far as to a later stage."""
        return self if self.level >= level else self.sent(to).raised(level, to)


def _exchanged(node: Node, to: Distribution) -> Node:
    """Windows of time begin where tuples arrive: fewer bytes travel, and the same for all lengths."""
    if isinstance(node, Window) and not node.keeps_state:
        return node.over(_exchanged(node.input, to))
    return Exchange(node, to)


def distribute(node: Node) -> Node:
    """The same plan, with an Exchange wherever tuples are not where the next node needs them."""
    return _placed(node, ANY).node


def gather(node: Node) -> Node:
    """The same plan, with all steps in one place, and in one stage."""
    return Exchange(node, SINGLE) if isinstance(node, Leaf) else node.over(*map(gather, node.inputs))


def _placed(node: Node, wish: Distribution) -> _Placed:
    inputs = _inputs(node, wish)
    level = max((each.level for each in inputs), default=0)
    if inputs and node.keeps_state:
        level = max(level, 1)
    if ANY in node.distributions:
        targets = _meeting(inputs, told(node, wish), level)
    else:
        targets = [each.lies.distribution for each in inputs]
    raised = [each.raised(level, to) for each, to in zip(inputs, targets, strict=True)]
    above = node.over(*(each.node for each in raised))
    return _Placed(above, level, lies(node, [each.lies for each in raised]))


def _inputs(node: Node, wish: Distribution) -> list[_Placed]:
    """The inputs of a node where it needs them, though perhaps not all on the same level."""
    inputs = _sent(node, wish)
    if not _heeds_ties(node):
        return inputs
    return [
        _in_one_place(below) if _loses_ties(each.node) else each
        for each, below in zip(inputs, node.inputs, strict=True)
    ]


def _heeds_ties(node: Node) -> bool:
    """Whether it matters to a node which of two tuples of one instant came first."""
    match node:
        case Window() | OutputWindow():
            return node.spec.extent is Extent.COUNT
        case Over() if not node.own and node.frame.extent is Extent.TIME and node.frame.slide is None:
            return not all(isinstance(each.find(exp.AggFunc), _IN_ANY_ORDER) for each in node.calls)
        case GroupBy():
            return not all(isinstance(each.find(exp.AggFunc), _IN_ANY_ORDER) for each in node.aggregates)
    return isinstance(node, Over | Accumulate)


def _loses_ties(node: Node) -> bool:
    """Whether tuples of streams come to a node of a distributed plan from several places."""
    if isinstance(node, Exchange) and level(node.input) and placement(node.input) != ONE_PLACE:
        return all(isinstance(each, _ONE_BY_ONE) for each in walk(node))
    return isinstance(node, _ONE_BY_ONE) and any(map(_loses_ties, node.inputs))


def _in_one_place(node: Node) -> _Placed:
    gathered = _gathered(node)
    return _Placed(gathered, level(gathered), ONE_PLACE)


def _gathered(node: Node) -> Node:
    """The same plan, with all that keeps state in one place."""
    if not any(each.keeps_state for each in walk(node)):
        return Exchange(node, SINGLE)
    return node.over(*map(_gathered, node.inputs))


def _sent(node: Node, wish: Distribution) -> list[_Placed]:
    needs = node.distributions
    if SINGLE in needs:
        inputs = [_placed(each, SINGLE) for each in node.inputs]
        return [each if each.lies == ONE_PLACE else each.sent(SINGLE) for each in inputs]
    if ANY in needs:
        return [_placed(each, wished) for each, wished in zip(node.inputs, told(node, wish), strict=True)]
    return _by_key(node, wish)


def _by_key(node: Node, wish: Distribution) -> list[_Placed]:
    """All inputs by the same of the keys that the node needs."""
    keys = [needed.keys for needed in node.distributions]
    chosen = _wished(node, wish) or tuple(range(len(keys[0]))) if keys else ()
    inputs = [_placed(each, _hash(names, chosen)) for each, names in zip(node.inputs, keys, strict=True)]
    if all(each.lies == ONE_PLACE for each in inputs):
        return inputs
    found = [each.lies.places(names) for each, names in zip(inputs, keys, strict=True)]
    candidates = [tuple(map(min, places)) for places in found if places] + [chosen]
    best = min(candidates, key=lambda to: sum(not _lies_by(places, to) for places in found))
    return [
        each if _lies_by(places, best) else each.sent(_hash(names, best))
        for each, places, names in zip(inputs, found, keys, strict=True)
    ]


def _wished(node: Node, wish: Distribution) -> tuple[int, ...]:
    """Which of the keys that a node needs a wish names."""
    named = [
        [key.lower() for key in needed.keys].index(key.lower())
        for needed, below in zip(node.distributions, told(node, wish), strict=True)
        for key in below.keys
        if key.lower() in map(str.lower, needed.keys)
    ]
    return tuple(sorted(set(named)))


def _lies_by(places: Sequence[frozenset[int]] | None, to: Sequence[int]) -> bool:
    """Whether a hash is by these keys, in this order."""
    if places is None or len(places) != len(to):
        return False
    return all(place in options for place, options in zip(to, places, strict=True))


def _hash(names: Sequence[str], chosen: Sequence[int]) -> Distribution:
    return Distribution("hash", tuple(names[place] for place in chosen))


def _meeting(inputs: Sequence[_Placed], wishes: Sequence[Distribution], level: int) -> list[Distribution]:
    """Where to send inputs that have to be in a later stage only because of their level: to where
    those lie that are there, if they lie as wished."""
    for each, wished in zip(inputs, wishes, strict=True):
        places = each.lies.places(wished.keys) if each.level == level else None
        if places:
            wishes = [_hash(other.keys, tuple(map(min, places))) for other in wishes]
            break
    return [_wished_or_own(each, wished) for each, wished in zip(inputs, wishes, strict=True)]


def _wished_or_own(input_: _Placed, wished: Distribution) -> Distribution:
    if wished != ANY:
        return wished
    if input_.lies != ANYWHERE:
        return input_.lies.distribution
    return Distribution("hash", input_.node.schema.names)
