"""What a relation holds now: a DuckDB table that follows the relation's log.

It is built from the log when a database is opened. Keys are checked here and not by DuckDB's indexes,
which take a row that gives way for one that is still there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from windrow.catalog import Relation
from windrow.delta import Signs
from windrow.language.changing import ROW, quoted, table_sql
from windrow.log.relation_log import SignedRows
from windrow.runtime.relation_keys import RelationKeys
from windrow.runtime.tables import Tables

_CHANGES, _COMING, _GOING = "__changes", "__coming", "__going"
_SIGN, _PLACE = "__sign", "__place"


@dataclass(frozen=True, slots=True)
class Replacement:
    """Rows of a table that go, by number in the column ROW, and rows that come."""

    gone: pa.Table
    come: pa.Table


class Contents:
    """The table of one relation."""

    def __init__(self, relation: Relation, tables: Tables, changes: SignedRows) -> None:
        self._relation = relation
        self._name = quoted(relation.name)
        self._tables = tables
        self._keys = RelationKeys(relation, tables)
        tables.run(table_sql(relation))
        self._keys.create()
        held = self._net(changes).rows
        self._insert(held)
        self._keys.remember(_left(changes), held)

    def drop(self) -> None:
        self._keys.drop()
        self._tables.run(f"DROP TABLE {self._name}")

    def rows(self) -> pa.Table:
        return self._tables.ask(f"SELECT * FROM {self._name} ORDER BY rowid")

    def count(self) -> int:
        return int(self._tables.ask(f"SELECT count(*) FROM {self._name}").column(0)[0].as_py())

    def folded(self, changes: SignedRows) -> SignedRows:
        """All changes from the first on in as few rows as tell the same: those that are left, and, for each
        key that is never used again, one that came and went."""
        held = self._net(changes).rows
        spent = self._keys.spent(_left(changes), held)
        sign: Signs = np.repeat(np.array([1, -1, 1], np.int8), [len(spent), len(spent), len(held)])
        return SignedRows(pa.concat_tables([spent, spent, held]), sign)

    def insertion(self, rows: pa.Table) -> Replacement:
        """Rows that come, and none that go."""
        return Replacement(pa.table({ROW: pa.array([], pa.int64())}), rows)

    def asked(self, select: str) -> Replacement:
        """What a SELECT says of rows that go and rows that come: see `windrow.language.changing`.
        Raises Fault."""
        answer = self._tables.ask(select)
        if ROW not in answer.column_names:
            return self.insertion(answer)
        come = answer.drop_columns([ROW])
        empty = self._relation.schema.arrow.empty_table()
        come = come.rename_columns(list(self._relation.schema.names)) if come.num_columns else empty
        return Replacement(answer.select([ROW]), come)

    def giving_way(self, change: Replacement) -> Replacement:
        """Also rows go that have the keys of those that come."""
        key = ", ".join(map(quoted, self._relation.key))
        with self._tables.seeing(**{_COMING: change.come}):
            same = f"SELECT rowid AS {ROW} FROM {self._name} SEMI JOIN {_COMING} USING ({key})"
            return Replacement(self._tables.ask(same), change.come)

    @contextmanager
    def changing(self, change: Replacement) -> Iterator[SignedRows]:
        """What leaves and enters the table; it has done so when the block ends well. Raises
        KeyConflict."""
        with self._tables.transaction():
            left = self._delete(change.gone)
            self._insert(change.come)
            self._keys.check(change.come)
            self._keys.remember(left, change.come)
            yield self._net(_signed(left, change.come))

    def _delete(self, gone: pa.Table) -> pa.Table:
        if not len(gone):
            return self._relation.schema.arrow.empty_table()
        chosen = f"FROM {self._name} WHERE rowid IN (SELECT {ROW} FROM {_GOING})"
        with self._tables.seeing(**{_GOING: gone}):
            left = self._tables.ask(f"SELECT * {chosen} ORDER BY rowid")
            self._tables.run(f"DELETE {chosen}")
        return left

    def _insert(self, come: pa.Table) -> None:
        if len(come):
            with self._tables.seeing(**{_COMING: come}):
                self._tables.run(f"INSERT INTO {self._name} FROM {_COMING}")

    def _net(self, changes: SignedRows) -> SignedRows:
        """The same changes without rows that leave and enter: first what leaves, then what enters."""
        if not len(changes) or changes.sign.min() == changes.sign.max():
            return changes
        placed = changes.rows.append_column(_PLACE, pa.array(np.arange(len(changes))))
        columns = ", ".join(map(quoted, self._relation.schema.names))
        with self._tables.seeing(**{_CHANGES: placed.append_column(_SIGN, pa.array(changes.sign))}):
            net = self._tables.ask(
                f"SELECT min({_PLACE}) AS {_PLACE}, sum({_SIGN})::BIGINT AS {_SIGN} FROM {_CHANGES}"
                f" GROUP BY {columns} HAVING sum({_SIGN}) <> 0 ORDER BY sum({_SIGN}) > 0, min({_PLACE})"
            )
        weights = net[_SIGN].to_numpy()
        places = np.repeat(net[_PLACE].to_numpy(), np.abs(weights))
        sign = np.repeat(np.sign(weights), np.abs(weights)).astype(np.int8)
        return SignedRows(changes.rows.take(pa.array(places)), sign)


def _left(changes: SignedRows) -> pa.Table:
    return changes.rows.filter(pa.array(changes.sign < 0))


def _signed(left: pa.Table, come: pa.Table) -> SignedRows:
    sign: Signs = np.repeat(np.array([-1, 1], np.int8), [len(left), len(come)])
    return SignedRows(pa.concat_tables([left, come]), sign)
