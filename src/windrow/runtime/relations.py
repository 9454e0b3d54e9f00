"""The relations of a pipeline: their logs, what they hold now, and statements that change them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import pyarrow as pa

from windrow.catalog import Relation
from windrow.log.index import Index
from windrow.log.inlet import WallClock
from windrow.log.relation_log import Stamp, append, fold, newest_stamp, outweighs, read_entries
from windrow.log.stream_log import StreamLog
from windrow.runtime.contents import Contents, Replacement
from windrow.runtime.tables import Tables

HISTORY_ROWS = 10_000
"""Of so little history none is folded."""

Standing = Callable[[], AbstractContextManager[Stamp]]
"""Where the streams are; while the block lasts they do not move."""


@dataclass(frozen=True, slots=True)
class _Held:
    relation: Relation
    log: StreamLog
    contents: Contents


class Relations:
    """All relations that are declared. Safe from any thread: one statement runs at a time.

    The instant of a statement is where the streams are when it is logged, and never falls. No tuple is
    logged in the meantime: so a tuple that is older than a change was logged before it, or is late.
    """

    def __init__(self, standing: Standing, now: WallClock, on_change: Callable[[], None]) -> None:
        self._standing = standing
        self._now = now
        self._on_change = on_change
        self._tables = Tables()
        self._held: dict[str, _Held] = {}
        self._stamp = Stamp()
        self._lock = threading.RLock()

    @property
    def logs(self) -> Mapping[str, StreamLog]:
        return {name: held.log for name, held in list(self._held.items())}

    def open(self, relation: Relation, log: StreamLog) -> None:
        """Begin with what a relation's log says."""
        with self._lock:
            index = log.index()
            changes = read_entries(log, index.entries, relation.schema.arrow)
            contents = Contents(relation, self._tables, changes)
            self._stamp = self._stamp.or_later(newest_stamp(index))
            self._held[relation.log] = _Held(relation, log, contents)

    def forget(self, relation: Relation) -> None:
        with self._lock:
            held = self._held.pop(relation.log)
            held.contents.drop()
            held.log.close()

    def rows(self, relation: Relation) -> pa.Table:
        """What a relation holds now."""
        with self._lock:
            return self._held[relation.log].contents.rows()

    def count(self, relation: Relation) -> int:
        with self._lock:
            return self._held[relation.log].contents.count()

    def insert(self, relation: Relation, rows: pa.Table, *, replace: bool = False) -> int:
        """Add rows; with `replace`, those with the same keys give way. Returns how many were given.
        Raises KeyConflict."""
        return self._carry_out(relation, lambda contents: contents.insertion(rows), replace=replace)

    def change(self, relation: Relation, select: str, *, replace: bool = False) -> int:
        """Do what a SELECT says: see `windrow.language.changing`. Returns how many rows it is about.
        Raises Fault and KeyConflict."""
        return self._carry_out(relation, lambda contents: contents.asked(select), replace=replace)

    def check(self, select: str) -> None:
        """Ask a query of the tables for nothing but its faults; raises Fault."""
        with self._lock:
            self._tables.ask(select)

    def with_history(self) -> dict[str, Index]:
        """The logs of relations of which most might be folded."""
        indexes = {name: log.index() for name, log in self.logs.items()}
        return {name: index for name, index in indexes.items() if outweighs(index, index.end, HISTORY_ROWS)}

    def fold(self, limits: Mapping[str, int]) -> None:
        """Fold the histories of relations, each up to a position that nobody goes back behind, where that
        is most of them. It can wait while a statement runs, or a snapshot is taken."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            for name in limits.keys() & self._held.keys():
                self._fold(self._held[name], limits[name])
        finally:
            self._lock.release()

    def _fold(self, held: _Held, limit: int) -> None:
        index = held.log.index()
        if outweighs(index, limit, HISTORY_ROWS):
            past = index.between(index.first, limit).entries
            changes = read_entries(held.log, past, held.relation.schema.arrow)
            fold(held.log, limit, held.contents.folded(changes))

    @contextmanager
    def still(self) -> Iterator[None]:
        """While the block lasts, logs stay as they are."""
        with self._lock:
            yield

    def _carry_out(
        self, relation: Relation, found: Callable[[Contents], Replacement], *, replace: bool
    ) -> int:
        with self._lock:
            held = self._held[relation.log]
            change = found(held.contents)
            if replace:
                change = held.contents.giving_way(change)
            with held.contents.changing(change) as changes, self._standing() as stamp:
                if len(changes):
                    self._stamp = self._stamp.or_later(stamp)
                    append(held.log, changes, self._stamp, self._now())
        self._on_change()
        return len(change.come) or len(change.gone)

    def close(self) -> None:
        for held in self._held.values():
            held.log.close()
        self._tables.close()
