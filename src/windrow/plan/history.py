"""How far back the windows of a plan look, so that the stream log can keep what a new query needs.

A query that starts finds its windows full if the log goes back as far as they do. Windows without end
ask for nothing here: what they hold is kept as state, and only RETAIN keeps a stream for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from windrow.catalog import Stream
from windrow.plan.emitting import Changes, ToStream
from windrow.plan.expiration import Expire
from windrow.plan.grouping import Accumulate, GroupBy, Over
from windrow.plan.joins import RelationHalfJoin, RelationJoin
from windrow.plan.nodes import DistinctInstant, Node, Scan, walk
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Append, Extent, OutputWindow, Window


@dataclass(frozen=True, slots=True)
class History:
    """The end of a stream: the tuples of the last so many microseconds, and at least so many tuples."""

    time: int = 0
    tuples: int = 0

    def before(self, earlier: History) -> History:
        """What a window over the results of another window asks for."""
        return History(self.time + earlier.time, self.tuples + earlier.tuples)

    def with_(self, other: History) -> History:
        """What is enough for both."""
        return History(max(self.time, other.time), max(self.tuples, other.tuples))


NOTHING = History()


def history(node: Node) -> Mapping[Stream, History]:
    """What the windows above each stream's scans hold; for tuples, as if nothing were dropped between
    scan and window, and all in one partition."""
    return longest([{stream: held} for stream, held in _scanned(node, NOTHING)])


def longest(histories: Iterable[Mapping[Stream, History]]) -> Mapping[Stream, History]:
    """For each stream what is enough for all."""
    found: dict[Stream, History] = {}
    for each in histories:
        for stream, held in each.items():
            found[stream] = held.with_(found.get(stream, NOTHING))
    return found


def looks_back_only(node: Node) -> bool:
    """Whether all that a plan remembers follows from the time that its windows look back. Not so where it
    remembers a stream for ever, how many tuples came, or what a user's own aggregate made of them."""
    return all(_is_bounded_by_time(each) for each in walk(node))


def _is_bounded_by_time(node: Node) -> bool:
    match node:
        case Window() | OutputWindow():
            return node.spec.extent is Extent.TIME
        case Over(calls=calls, frame=frame):
            return frame.extent is Extent.TIME and frame.preceding is not None and not _are_own(calls)
        case ToStream():
            return node.every is None and (node.kind != "Rstream" or not _has_endless_input(node))
        case RelationJoin(retroactive=False) | RelationHalfJoin() | Changes() | Expire() | Append():
            return True
        case Accumulate() | DistinctInstant():
            return False
        case GroupBy(aggregates=calls) if _are_own(calls):
            return False
    return not node.keeps_state or not _has_endless_input(node)


def _has_endless_input(node: Node) -> bool:
    return any(each.pattern is Pattern.MON for each in node.inputs)


def _are_own(calls: Iterable[exp.Expr]) -> bool:
    return any(part.meta.get("aggregate") for call in calls for part in call.walk())


def _scanned(node: Node, above: History) -> Iterator[tuple[Stream, History]]:
    if isinstance(node, Scan):
        yield node.stream, above
    held = above.before(_held(node))
    for each in node.inputs:
        yield from _scanned(each, held)


def _held(node: Node) -> History:
    """How far back a node looks. Between two of its moves a window looks a slide further."""
    if isinstance(node, Window | OutputWindow) and not node.spec.is_unbounded:
        return _end(node.spec.extent, node.spec.size + (node.spec.slide or 0))
    if isinstance(node, Over) and node.frame.preceding is not None:
        return _end(node.frame.extent, node.frame.preceding + 1 + (node.frame.slide or 0))
    return NOTHING


def _end(extent: Extent, length: int) -> History:
    return History(time=length) if extent is Extent.TIME else History(tuples=length)
