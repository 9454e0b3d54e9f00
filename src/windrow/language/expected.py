"""The rows that an ASSERT expects, in the types of what they are compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
from sqlglot import exp

from windrow.errors import Refused, Span, StatementError, TypeMismatch
from windrow.language import engine
from windrow.language.engine import Fault
from windrow.language.names import counted
from windrow.language.spans import span_of
from windrow.language.statements import Query
from windrow.language.tokens import DIALECT
from windrow.language.types import explained
from windrow.schema import Field

_EXACT = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER")
_INEXACT = ("DECIMAL", "FLOAT", "DOUBLE")


def expected_rows(query: Query, fields: Sequence[Field]) -> pa.Table:
    """The rows of a query over no stream, in the types of the columns that they are compared with."""
    try:
        given = [type_ for _, type_ in engine.describe(query.text)]
        if len(given) != len(fields):
            raise _miscounted(given, fields, query.span)
        casts = ", ".join(
            f"CAST(#{place} AS {field.type}) AS {_quoted(field.name)}"
            for place, field in enumerate(fields, start=1)
        )
        rows = engine.evaluate(f"SELECT {casts} FROM ({query.text})")
        _check_exact(query, given, fields)
    except Fault as fault:
        raise _culprit(query, fields) or _explained(fault, query.span) from None
    return rows


def _check_exact(query: Query, given: Sequence[str], fields: Sequence[Field]) -> None:
    """Refuse 1.5 for a column of whole numbers, which a cast would round to what may have come."""
    for place, (type_, field) in enumerate(zip(given, fields, strict=True), start=1):
        if not _may_be_rounded(type_, field.type):
            continue
        lossy = f"CAST(#{place} AS {field.type}) IS DISTINCT FROM #{place}"
        for (value,) in engine.rows(f"SELECT #{place} FROM ({query.text}) WHERE {lossy} LIMIT 1"):
            raise TypeMismatch(
                f"{value} is no value of {field.name}, which is {field.type}",
                query.span,
                hint="a cast would round it",
            )


def _may_be_rounded(given: str, wanted: str) -> bool:
    exact = wanted.startswith((*_EXACT, "UBIGINT", "UHUGEINT", "DECIMAL"))
    return exact and given != wanted and given.startswith(_INEXACT)


def _culprit(query: Query, fields: Sequence[Field]) -> StatementError | None:
    """Of VALUES, the one that is no value of its column's type."""
    for cell, field in _cells(query, fields):
        try:
            engine.evaluate(f"SELECT CAST({cell.sql(DIALECT)} AS {field.type})")
        except Fault as fault:
            return explained(fault, span_of(cell, query.source, query.span))
    return None


def _cells(query: Query, fields: Sequence[Field]) -> Iterator[tuple[exp.Expr, Field]]:
    values = query.tree.unnest()
    rows = values.expressions if isinstance(values, exp.Values) else ()
    for row in rows:
        yield from zip(row.expressions, fields, strict=False)


def _explained(fault: Fault, span: Span) -> StatementError:
    if fault.kind == "Catalog" and "Table" in fault.message:
        return Refused(
            f"an ASSERT compares with constants, and there is no {fault.name} to read",
            span,
            hint="write the rows: (VALUES (1, 'a'), …)",
        )
    return explained(fault, span)


def _miscounted(given: Sequence[str], fields: Sequence[Field], span: Span) -> Refused:
    return Refused(
        f"{counted(len(given), 'column')} for {len(fields)}",
        span,
        hint=f"the columns are {', '.join(field.name for field in fields)}",
    )


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(DIALECT)
