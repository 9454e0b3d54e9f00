"""The grammar of Istream, Dstream, Rstream and Wstream around a SELECT list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from windrow.errors import ParseError, Refused, Span
from windrow.language.statements import OutputClause, WindowClause

Kind: TypeAlias = Literal["Istream", "Dstream", "Rstream", "Wstream"]

OUTPUTS: Mapping[str, Kind] = {
    "ISTREAM": "Istream",
    "DSTREAM": "Dstream",
    "RSTREAM": "Rstream",
    "WSTREAM": "Wstream",
}
"""The operators by their names in capitals."""


def output_clause(kind: Kind, restore: bool, window: WindowClause | None, span: Span) -> OutputClause:
    """An operator with what belongs to it; refuses what it cannot have."""
    if restore and kind == "Wstream":
        raise Refused(
            "Wstream-restore has no meaning: of all that comes at once, which would be the newest?",
            span,
            hint="leave -restore out, or take Istream-restore or Rstream-restore",
        )
    if restore and kind == "Dstream":
        raise Refused(
            "there is no Dstream-restore",
            span,
            hint="Istream-restore also tells what came and went between two evaluations",
        )
    if restore and window is not None:
        raise windowed_restored(window.span)
    if kind == "Wstream" and window is None:
        raise wstream_without_window(span)
    if kind != "Wstream" and window is not None:
        raise ParseError(
            f"{kind} takes no window", window.span, hint="Wstream(…)[ROWS 10] keeps the newest results"
        )
    return OutputClause(kind, span, restore, window)


def windowed_restored(span: Span) -> Refused:
    return Refused(
        "a window on the output and -restore do not go together:"
        " of all that comes at once, which would be the newest?",
        span,
        hint="leave -restore out",
    )


def wstream_without_window(span: Span) -> ParseError:
    return ParseError(
        "Wstream needs a window", span, hint="write it behind the parenthesis, as in Wstream(…)[ROWS 10]"
    )


def misplaced(kind: str, span: Span) -> ParseError:
    return ParseError(
        f"{kind} stands around the whole SELECT list", span, hint=f"as in SELECT {kind}(a, b AS c) FROM …"
    )
