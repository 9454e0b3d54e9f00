"""Primary keys of relations: never NULL, never twice, and those of an NRR never again.

An NRR remembers the keys of rows that are gone. Results that came of such a row still stand, and a new
row with its key would make them look as if they were of that.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from windrow.catalog import Relation
from windrow.errors import KeyConflict
from windrow.language.changing import quoted
from windrow.runtime.tables import Tables

_COMING, _LEFT, _PLACE = "__coming", "__left", "__place"


class RelationKeys:
    """The keys of one relation."""

    def __init__(self, relation: Relation, tables: Tables) -> None:
        self._relation = relation
        self._tables = tables
        self._key = ", ".join(map(quoted, relation.key))
        self._past = None if relation.retroactive or not relation.key else quoted(f"__past {relation.name}")
        """The table of keys whose rows are gone."""

    def create(self) -> None:
        if self._past:
            none = f"SELECT {self._key} FROM {quoted(self._relation.name)} LIMIT 0"
            self._tables.run(f"CREATE TABLE {self._past} AS {none}")

    def drop(self) -> None:
        if self._past:
            self._tables.run(f"DROP TABLE {self._past}")

    def remember(self, left: pa.Table, come: pa.Table) -> None:
        """Rows left, and other rows came: keys that only the former have are not used again."""
        if self._past and len(left):
            with self._tables.seeing(**{_LEFT: left, _COMING: come}):
                gone = f"SELECT {self._key} FROM {_LEFT} EXCEPT SELECT {self._key} FROM {_COMING}"
                self._tables.run(f"INSERT INTO {self._past} {gone}")

    def spent(self, left: pa.Table, held: pa.Table) -> pa.Table:
        """Of rows that left, one for each key that no row has any more, and none may have again."""
        if not self._past or not len(left):
            return left.slice(0, 0)
        with self._tables.seeing(**{_LEFT: left, _COMING: held}):
            columns = ", ".join(map(quoted, left.column_names))
            gone = f"{_LEFT} ANTI JOIN {_COMING} USING ({self._key})"
            return self._tables.ask(f"SELECT DISTINCT ON ({self._key}) {columns} FROM {gone}")

    def check(self, come: pa.Table) -> None:
        """Refuse rows that have come; the relation's table has them already."""
        if not self._relation.key or not len(come):
            return
        numbered = come.append_column(_PLACE, pa.array(np.arange(len(come))))
        with self._tables.seeing(**{_COMING: numbered}):
            self._check_nulls()
            self._check_past(come)
            self._check_twice(come)

    def _check_nulls(self) -> None:
        names = self._relation.key
        place = self._first(f"WHERE {' OR '.join(f'{quoted(name)} IS NULL' for name in names)}")
        if place is not None:
            raise KeyConflict(
                f"the key of a row of {self._relation.name} is NULL",
                row=place,
                hint=f"give {' and '.join(names)} a value",
            )

    def _check_past(self, come: pa.Table) -> None:
        if not self._past:
            return
        place = self._first(f"SEMI JOIN {self._past} USING ({self._key})")
        if place is not None:
            raise KeyConflict(
                f"{self._relation.name} had a row with {self._told(come, place)} before,"
                " and an NRR never uses a key again",
                row=place,
                hint="give the row another key: results that came of the old one still stand",
            )

    def _check_twice(self, come: pa.Table) -> None:
        all_ = f"SELECT {self._key} FROM {quoted(self._relation.name)}"
        shared = f"SEMI JOIN {_COMING} USING ({self._key}) GROUP BY ALL HAVING count(*) > 1"
        place = self._first(f"SEMI JOIN ({all_} {shared}) USING ({self._key})")
        if place is None:
            return
        told = self._told(come, place)
        this = f"SELECT {self._key} FROM {_COMING} WHERE {_PLACE} = {place}"
        among = self._tables.ask(f"SELECT count(*) FROM {_COMING} SEMI JOIN ({this}) USING ({self._key})")
        if among.column(0)[0].as_py() > 1:
            message, hint = f"two of the rows have {told}", "a key is of one row only"
        else:
            message = f"{self._relation.name} has a row with {told} already"
            hint = "INSERT OR REPLACE puts a row in the place of the one with its key"
        raise KeyConflict(message, row=place, hint=hint)

    def _first(self, chosen: str) -> int | None:
        """The place of the first row that comes and is chosen."""
        answer = self._tables.ask(f"SELECT min({_PLACE}) FROM {_COMING} {chosen}")
        place: int | None = answer.column(0)[0].as_py()
        return place

    def _told(self, come: pa.Table, place: int) -> str:
        (row,) = come.slice(place, 1).select(list(self._relation.key)).to_pylist()
        return " and ".join(f"{name} = {value!r}" for name, value in row.items())
