"""How much a plan does in a second: tuples over each edge, and what each step remembers.

The model of a unit of time: windows are full, values equally frequent, and those of one side of a join
the first of those of the other. A column has so many different values in all; in a window with `live`
tuples those are there that come up in as many draws. On a strict edge each end is a negative tuple.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from windrow.delta import NEVER
from windrow.plan.emitting import Changes, InOrder, Reevaluate, ToStream
from windrow.plan.exchange import Exchange
from windrow.plan.expiration import Expire
from windrow.plan.grouping import Accumulate, Distinct, GroupBy, GroupByPanes, Over, TopK
from windrow.plan.joins import (
    Join,
    Matching,
    Negation,
    RelationHalfJoin,
    RelationJoin,
    RelationScan,
    SemiJoin,
)
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Calculate, DistinctInstant, Node, Project, Scan, Select, Union
from windrow.plan.patterns import Pattern
from windrow.plan.selectivity import Values, fixed, selectivity, varied
from windrow.plan.statistics import VALUES, Statistics
from windrow.plan.windows import Append, Extent, OutputWindow, Window

HORIZON = 86_400.0
"""What is kept for ever is kept for a day, in seconds."""
UNLIMITED = 1e12
"""Different values of a column that hardly repeats any."""


@dataclass(frozen=True)
class Estimate:
    """What goes over the edge above a step, and what the step keeps."""

    rate: float
    """Tuples that enter the result, a second."""
    live: float
    """Tuples that it has at an instant."""
    values: Values
    """How many different values each column has, by its name in small letters."""
    negatives: float = 0.0
    """Negative tuples a second."""
    state: float = 0.0
    """Tuples that the step remembers."""

    @property
    def events(self) -> float:
        """Tuples of either sign, a second."""
        return self.rate + self.negatives

    def of(self, name: str) -> float:
        return self.values.get(name.lower(), VALUES)


class Estimator:
    """Estimates the steps of plans, each step once."""

    def __init__(self, statistics: Statistics) -> None:
        self._statistics = statistics
        self._known: dict[int, tuple[Node, Estimate]] = {}

    def of(self, node: Node) -> Estimate:
        """Of the edge above a node, and of the node."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = node, self._estimated(node)
        return known[1]

    def _estimated(self, node: Node) -> Estimate:
        if isinstance(node, Scan):
            return self._scan(node)
        if isinstance(node, RelationScan):
            return self._relation(node)
        found = ESTIMATES[type(node)](node, [self.of(each) for each in node.inputs])
        negatives = found.rate if node.pattern is Pattern.STR else 0.0
        return replace(found, negatives=negatives)

    def _scan(self, node: Scan) -> Estimate:
        name, stream = node.stream.name, node.stream
        rate = self._statistics.rate(name)
        known = {each.name: self._statistics.values(name, each.name) for each in node.schema}
        types = {each.name: each.type for each in node.schema}
        guessed = {each: UNLIMITED if each == stream.timestamp else _guess(types[each]) for each in known}
        values = {each.lower(): found or guessed[each] for each, found in known.items()}
        return Estimate(rate, rate * HORIZON, values)

    def _relation(self, node: RelationScan) -> Estimate:
        relation = node.relation
        rows = self._statistics.rows(relation.name)
        unique = relation.key[0].lower() if len(relation.key) == 1 else ""
        values = {
            field.name.lower(): rows
            if field.name.lower() == unique
            else self._statistics.values(relation.name, field.name) or min(rows, _guess(field.type))
            for field in node.schema
        }
        return Estimate(0.0, rows, values)


def _guess(type_: str) -> float:
    return 2.0 if type_ == "BOOLEAN" else VALUES


def there(values: float, draws: float) -> float:
    """How many of so many values come up in so many draws."""
    return values * (1 - absent(values, draws))


def absent(values: float, draws: float) -> float:
    """How likely one of so many values comes up in none of so many draws."""
    if values <= 1:
        return math.exp(-draws) if draws < 1 else 0.0
    return math.exp(draws * math.log1p(-1 / values))


def _over_all(input_: Estimate, names: Sequence[str]) -> float:
    """How many different values some columns have together."""
    return min(math.prod(input_.of(name) for name in names), UNLIMITED)


def _passed(node: Node, input_: Estimate, place: int = 0) -> dict[str, float]:
    """The values of the columns that a node passes on."""
    return {name: input_.of(source) for name, source in node.passes[place].items()}


def _same(node: Node, inputs: Sequence[Estimate]) -> Estimate:
    """What passes all tuples on."""
    return replace(inputs[0], values=_passed(node, inputs[0]), state=0.0)


def _share(input_: Estimate, share: float) -> Estimate:
    return replace(input_, rate=input_.rate * share, live=input_.live * share, state=0.0)


def _select(node: Select, inputs: Sequence[Estimate]) -> Estimate:
    (input_,) = inputs
    single = dict.fromkeys(fixed(node.predicate), 1.0)
    found = _share(input_, selectivity(node.predicate, input_.values))
    return replace(found, values={**input_.values, **single})


def _project(node: Project, inputs: Sequence[Estimate]) -> Estimate:
    pairs = zip(node.expressions, node.output.names, strict=True)
    values = {name.lower(): varied(each, inputs[0].values) for each, name in pairs}
    return replace(inputs[0], values=values, state=0.0)


def _calculate(node: Calculate, inputs: Sequence[Estimate]) -> Estimate:
    below, chosen = node.input, list(inputs)
    if node.predicate is not None:
        chosen = [_select(Select(below, node.predicate), chosen)]
    if node.expressions is None:
        return chosen[0]
    return _project(Project(below, node.expressions, node.output), chosen)


def _union(node: Union, inputs: Sequence[Estimate]) -> Estimate:
    each = [_passed(node, input_, place) for place, input_ in enumerate(inputs)]
    values = {name.lower(): max(branch[name.lower()] for branch in each) for name in node.schema.names}
    return Estimate(sum(one.rate for one in inputs), sum(one.live for one in inputs), values)


def _distinct_instant(node: DistinctInstant, inputs: Sequence[Estimate]) -> Estimate:
    return replace(_same(node, inputs), state=1.0)


def _window(node: Window | OutputWindow, inputs: Sequence[Estimate]) -> Estimate:
    (input_,) = inputs
    spec = node.spec
    if spec.extent is Extent.COUNT:
        live = min(spec.size * _over_all(input_, spec.partition), input_.live)
        return replace(input_, live=live, state=live)
    length = HORIZON if spec.size == NEVER else max(spec.size, spec.slide or 0) / 1e6
    live = input_.rate * length
    waits = node.keeps_state and spec.slide is not None and not (isinstance(node, Window) and node.paned)
    return replace(input_, live=live, state=input_.rate * (spec.slide or 0) / 1e6 if waits else 0.0)


def _append(node: Append, inputs: Sequence[Estimate]) -> Estimate:
    found = _same(node, inputs)
    return found if node.lifetimes else replace(found, live=found.rate * HORIZON)


def _matches(node: Matching, left: Estimate, right: Estimate) -> float:
    """Of all pairs of tuples one in so many matches."""
    keys = math.prod(max(left.of(one), right.of(other)) for one, other in node.keys)
    return keys / (
        1.0 if node.condition is None else selectivity(node.condition, {**left.values, **right.values})
    )


def _join(node: Join | RelationJoin, inputs: Sequence[Estimate]) -> Estimate:
    left, right = inputs
    one_in = max(_matches(node, left, right), 1e-9)
    live, rate = left.live * right.live / one_in, (left.rate * right.live + right.rate * left.live) / one_in
    values = {**left.values, **right.values}
    for one, other in node.keys:
        values[one.lower()] = values[other.lower()] = min(left.of(one), right.of(other))
    if node.kind in ("left", "full"):
        live, rate = max(live, left.live), max(rate, left.rate)
    if node.kind in ("right", "full"):
        live, rate = max(live, right.live), max(rate, right.rate)
    kept = left.live + right.live
    if isinstance(node, RelationJoin) and not node.retroactive:
        kept = right.live
    return Estimate(rate, live, values, state=kept)


def _half_join(node: SemiJoin | Negation, inputs: Sequence[Estimate]) -> Estimate:
    """Tuples of the left come and go themselves, and as the first of their partners come and the last
    of them go. Where ends are foreseen, and keys say it all, only the latest end of each key is kept of the
    right side."""
    left, right = inputs
    one_in = max(_matches(node, left, right), 1.0)
    lonely = absent(one_in, right.live)
    share = lonely if isinstance(node, Negation) else 1 - lonely
    turned = right.rate * lonely * left.live / one_in
    in_order = node.left.pattern <= Pattern.WKS and node.right.pattern is not Pattern.STR
    kept = there(one_in, right.live) if in_order and node.condition is None else right.live
    return Estimate(left.rate * share + turned, left.live * share, left.values, state=left.live + kept)


def _looked_up(node: RelationHalfJoin, inputs: Sequence[Estimate]) -> Estimate:
    """Tuples pass, or do not, when they come."""
    left, right = inputs
    lonely = absent(max(_matches(node, left, right), 1.0), right.live)
    share = lonely if node.anti else 1 - lonely
    return Estimate(left.rate * share, left.live * share, left.values, state=right.live)


def _counted(node: Intersect | Except, inputs: Sequence[Estimate]) -> Estimate:
    left, right = inputs
    different = _over_all(left, node.left.schema.names)
    lonely = absent(different, right.live)
    share = lonely if isinstance(node, Except) else 1 - lonely
    rate = left.rate * share + right.rate * lonely * left.live / different
    kept = there(different, left.live) + there(different, right.live)
    return Estimate(rate, left.live * share, left.values, state=kept)


def _grouped(node: GroupBy, inputs: Sequence[Estimate]) -> Estimate:
    """Each tuple that comes or ends changes a group; for ends that are foreseen, it is kept. Of a paned
    window it is the tuples of a pane together that do, and are."""
    (input_,) = inputs
    different = _over_all(input_, node.keys)
    groups = there(different, input_.live) if node.keys else 1.0
    if isinstance(window := node.input, Window) and window.paned:
        moves = 1e6 / (window.spec.slide or 1)
        cells = moves * there(different if node.keys else 1.0, input_.rate / moves)
        input_ = replace(input_, rate=cells, live=cells * input_.live / max(input_.rate, 1e-9))
    ends = 0.0 if node.input.pattern is Pattern.MON else input_.rate
    foreseen = 0.0 if node.input.pattern is Pattern.STR else input_.live
    values = {key.lower(): input_.of(key) for key in node.keys}
    results = {field.name.lower(): VALUES for field in node.names}
    return Estimate(input_.rate + ends, groups, {**results, **values}, state=groups + foreseen)


def _grouped_in_panes(node: GroupByPanes, inputs: Sequence[Estimate]) -> Estimate:
    window = Window(node.input, node.spec, paned=True)
    return _grouped(GroupBy(window, node.keys, node.aggregates, node.names), [_window(window, inputs)])


def _accumulate(node: Accumulate, inputs: Sequence[Estimate]) -> Estimate:
    groups = there(_over_all(inputs[0], node.keys), inputs[0].live) if node.keys else 1.0
    return replace(inputs[0], values=_passed(node, inputs[0]), state=groups)


def _over(node: Over, inputs: Sequence[Estimate]) -> Estimate:
    (input_,) = inputs
    frame = node.frame
    if frame.preceding is None:
        kept = _over_all(input_, node.partition)
    elif frame.extent is Extent.TIME:
        kept = input_.rate * frame.preceding / 1e6
    else:
        kept = frame.preceding * max(1.0, _over_all(input_, node.partition))
    return replace(_same(node, inputs), state=min(kept, input_.live))


def _distinct(node: Distinct, inputs: Sequence[Estimate]) -> Estimate:
    """Over tuples whose ends are foreseen, one of equals is given as the one before it ends, and two of
    each are kept; otherwise one is given as the first of them comes, and all are counted."""
    (input_,) = inputs
    different = min(_over_all(input_, node.schema.names), UNLIMITED)
    live = there(different, input_.live)
    if node.input.pattern is Pattern.STR:
        return Estimate(input_.rate * absent(different, input_.live), live, input_.values, state=live)
    rate = input_.rate * live / input_.live if input_.live else 0.0
    return Estimate(rate, live, input_.values, state=min(2 * live, input_.live))


def _top(node: TopK, inputs: Sequence[Estimate]) -> Estimate:
    (input_,) = inputs
    live = min(input_.live, float(node.limit or input_.live))
    share = live / input_.live if input_.live else 1.0
    return Estimate(2 * input_.rate * share, live, input_.values, state=input_.live)


def _to_stream(node: ToStream, inputs: Sequence[Estimate]) -> Estimate:
    (input_,) = inputs
    rate = input_.rate * max(input_.live, 1.0) if node.kind == "Rstream" else input_.rate
    kept = 0.0 if node.input.pattern is Pattern.MON else input_.live
    return Estimate(rate, rate * HORIZON, input_.values, state=kept)


def _told(node: Changes | Expire, inputs: Sequence[Estimate]) -> Estimate:
    foreseen = node.input.pattern in (Pattern.WKS, Pattern.WK)
    return replace(inputs[0], state=inputs[0].live if foreseen else 0.0)


def _asked(node: Reevaluate, inputs: Sequence[Estimate]) -> Estimate:
    live, rate = sum(each.live for each in inputs), sum(each.rate for each in inputs)
    return Estimate(rate, live, {name.lower(): VALUES for name in node.schema.names}, state=live)


ESTIMATES: Mapping[type[Node], Callable[[Any, Sequence[Estimate]], Estimate]] = {
    Accumulate: _accumulate,
    Append: _append,
    Calculate: _calculate,
    Changes: _told,
    Distinct: _distinct,
    DistinctInstant: _distinct_instant,
    Except: _counted,
    Exchange: _same,
    Expire: _told,
    GroupBy: _grouped,
    GroupByPanes: _grouped_in_panes,
    InOrder: _same,
    Intersect: _counted,
    Join: _join,
    Negation: _half_join,
    OutputWindow: _window,
    Over: _over,
    Project: _project,
    Reevaluate: _asked,
    RelationHalfJoin: _looked_up,
    RelationJoin: _join,
    Select: _select,
    SemiJoin: _half_join,
    ToStream: _to_stream,
    TopK: _top,
    Union: _union,
    Window: _window,
}
"""How each kind of step is estimated from its inputs; leaves by what is known of streams and relations."""
