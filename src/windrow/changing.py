"""Statements that change tables, carried out; what is wrong with a row is told where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from windrow.catalog import Relation
from windrow.errors import KeyConflict, Refused, Span
from windrow.language import changing
from windrow.language import statements as said
from windrow.language.changing import Change
from windrow.language.engine import Fault
from windrow.language.names import counted
from windrow.language.spans import span_of
from windrow.language.types import explained

if TYPE_CHECKING:
    from windrow.database import Database


def insert_values(db: Database, statement: said.InsertValues, relation: Relation, rows: pa.Table) -> str:
    """INSERT INTO table VALUES; the rows are those of the statement."""
    changing.check_replace(relation, statement.target, replace=statement.replace)

    def place_of(row: int) -> Span:
        return span_of(statement.rows[row][0], statement.source, statement.target.span)

    with _conflicts_told(place_of):
        count = db.relations.insert(relation, rows, replace=statement.replace)
    return f"{counted(count, 'row')} inserted"


def insert_select(db: Database, statement: said.InsertSelect) -> str:
    """INSERT INTO table SELECT."""
    count = _carry_out(db, changing.inserting(statement, db.catalog), statement.query.span)
    return f"{counted(count, 'row')} inserted"


def update(db: Database, statement: said.Update) -> str:
    """UPDATE table."""
    count = _carry_out(db, changing.updating(statement, db.catalog), statement.target.span)
    return f"{counted(count, 'row')} updated"


def delete(db: Database, statement: said.Delete) -> str:
    """DELETE FROM table."""
    count = _carry_out(db, changing.deleting(statement, db.catalog), statement.target.span)
    return f"{counted(count, 'row')} deleted"


def tables(db: Database) -> pa.Table:
    """SHOW TABLES."""
    known = list(db.catalog.relations.values())
    columns = {
        "table": pa.array([relation.name for relation in known], pa.string()),
        "kind": pa.array([relation.kind for relation in known], pa.string()),
        "key": pa.array([", ".join(relation.key) for relation in known], pa.string()),
        "rows": pa.array([db.relations.count(relation) for relation in known], pa.int64()),
    }
    return pa.table(columns)


def _carry_out(db: Database, change: Change, span: Span) -> int:
    with _conflicts_told(lambda _: span):
        try:
            return db.relations.change(change.relation, change.sql, replace=change.replace)
        except Fault as fault:
            raise _culprit(db, change, fault, span) from None


def _culprit(db: Database, change: Change, whole: Fault, span: Span) -> Exception:
    """The error of the part of a change that cannot be computed."""
    for select, place in change.parts:
        try:
            db.relations.check(select)
        except Fault as fault:
            return explained(fault, place)
    return explained(whole, span)


@contextmanager
def _conflicts_told(place_of: Callable[[int], Span]) -> Iterator[None]:
    try:
        yield
    except KeyConflict as conflict:
        raise Refused(conflict.message, place_of(conflict.row), hint=conflict.hint) from None
