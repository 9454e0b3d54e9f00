"""How far back the windows of a plan look, so that the stream log can keep what a new query needs.

A query that starts finds its windows full if the log goes back as far as they do. Windows without end
ask for nothing here: what they hold is kept as state, and only RETAIN keeps a stream for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from windrow.catalog import Stream
from windrow.plan.grouping import Over
from windrow.plan.nodes import Node, Scan
from windrow.plan.windows import Extent, OutputWindow, Window


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
