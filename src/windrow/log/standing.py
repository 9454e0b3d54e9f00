"""Where all streams are at one moment: what a statement that changes a relation is stamped with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from windrow.delta import BEGINNING
from windrow.log.inlet import StreamInlet
from windrow.log.relation_log import Stamp


@contextmanager
def standing(inlets: Iterable[StreamInlet]) -> Iterator[Stamp]:
    """How far tuples have come; while the block lasts, none is logged. Always give all inlets in the
    same order."""
    with ExitStack() as held:
        still = list(inlets)
        for inlet in still:
            held.enter_context(inlet.standing_still())
        brought = [inlet.reached for inlet in still if inlet.stream.brings_timestamps]
        given = [inlet.reached for inlet in still if not inlet.stream.brings_timestamps]
        yield Stamp(max(brought, default=BEGINNING), max(given, default=BEGINNING))
