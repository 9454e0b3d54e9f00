"""ASSERT, carried out: what a query came to, or what a statement was refused with, against what is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from windrow.comparison import Difference, compare, compare_in_order
from windrow.delta import BEGINNING
from windrow.errors import AssertionFailed, Error, UnknownName
from windrow.language.expected import expected_rows
from windrow.language.names import counted, suggest
from windrow.language.statements import AssertError, AssertRows, Name
from windrow.schema import Field

if TYPE_CHECKING:
    from windrow.database import Database, Query

_OP, _TS = 0, 1
"""Where a changelog has the operation and the instant."""


def check_rows(db: Database, statement: AssertRows) -> None:
    """Process all that has come by now; raise AssertionFailed unless the query came to what is said."""
    query = _query(db, statement.name)
    db.beat()
    db.run_until_idle()
    check = _check_answer if statement.what == "answer" else _check_changes
    difference = check(query, statement)
    if difference is not None:
        raise AssertionFailed(
            f"the {statement.what} of {query.name}: {_told(difference)}",
            statement.span,
            difference=difference,
        )


def check_error(error: Error, statement: AssertError) -> None:
    """Raise AssertionFailed unless the error has the asserted part in its message or its hint."""
    if not any(statement.part.text in told for told in (error.message, error.hint or "")):
        raise AssertionFailed(
            f"another error came: {error.message}", statement.part.span, hint=error.hint
        ) from error


def _query(db: Database, name: Name) -> Query:
    found = next((query for query in db.queries.values() if query.name.lower() == name.text.lower()), None)
    if found is None:
        hint = suggest(name.text, db.queries, "queries are")
        raise UnknownName(f"there is no query {name}", name.span, hint=hint)
    return found


def _check_answer(query: Query, statement: AssertRows) -> Difference | None:
    return compare(_expected(statement, list(query.schema)), query.answer())


def _check_changes(query: Query, statement: AssertRows) -> Difference | None:
    changes = query.changes()
    instants = changes.column(_TS).cast(pa.int64()).fill_null(pa.scalar(BEGINNING)).to_numpy().tolist()
    fields = [_operation(changes.schema.field(_OP)), Field(changes.column_names[_TS], "TIMESTAMP")]
    if not statement.times:
        changes = changes.remove_column(_TS)
        del fields[_TS]
    return compare_in_order(_expected(statement, [*fields, *query.schema]), changes, instants)


def _operation(column: pa.Field[pa.DataType]) -> Field:
    return Field(column.name, "INTEGER" if pa.types.is_integer(column.type) else "VARCHAR")


def _expected(statement: AssertRows, fields: list[Field]) -> pa.Table:
    if statement.rows is None:
        return pa.schema([field.arrow for field in fields]).empty_table()
    return expected_rows(statement.rows, fields)


def _told(difference: Difference) -> str:
    lacking, surplus = difference.expected.count, difference.actual.count
    parts = [f"{counted(lacking, 'row')} did not come"] if lacking else []
    parts += [f"{counted(surplus, 'row')} came unexpected"] if surplus else []
    return " and ".join(parts)
