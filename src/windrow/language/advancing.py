"""ADVANCE stream TO: which stream, and to which instant."""

from __future__ import annotations

from sqlglot import exp

from windrow.catalog import Catalog, Stream
from windrow.errors import Refused, TypeMismatch, UnknownName
from windrow.language import engine
from windrow.language.names import suggest
from windrow.language.statements import AdvanceStream, Text
from windrow.language.tokens import DIALECT

_FARTHEST = 2**61


def advanced(statement: AdvanceStream, catalog: Catalog) -> tuple[Stream, int]:
    """The stream, and the microseconds that its clock is to show."""
    name = statement.stream
    stream = catalog.streams.get(name.text.lower())
    if stream is None:
        known = [each.name for each in catalog.streams.values() if isinstance(each, Stream)]
        raise UnknownName(
            f"there is no stream '{name}'", name.span, hint=suggest(name.text, known, "streams are")
        )
    if not isinstance(stream, Stream):
        raise Refused(
            f"the clock of {stream.name} follows those of the streams that its query reads",
            name.span,
            hint="advance those",
        )
    return stream, _instant(statement.instant)


def _instant(text: Text) -> int:
    literal = exp.Literal.string(text.text).sql(DIALECT)
    ((instant,),) = engine.rows(f"SELECT epoch_us(TRY_CAST({literal} AS TIMESTAMP))")
    if not isinstance(instant, int) or abs(instant) > _FARTHEST:
        raise TypeMismatch(
            f"'{text.text}' is no instant", text.span, hint="write it like 2026-01-31 12:00:00"
        )
    return instant
