"""The grammar of windows: what stands in [brackets], and the frames of OVER."""

from __future__ import annotations

from sqlglot import TokenType

from windrow.delta import NEVER
from windrow.durations import UNITS, format_duration
from windrow.errors import Refused, Span
from windrow.language.cursor import Cursor
from windrow.language.names import counted
from windrow.language.statements import FrameClause, Name, WindowClause
from windrow.plan.windows import Extent

_NOW = 1
"""The size of [NOW], in microseconds."""


def window_clause(cursor: Cursor) -> WindowClause:
    """Read [RANGE …] and its like; the cursor stands at the bracket."""
    first = cursor.take()
    partition = _partition(cursor)
    uneven = cursor.at_words("WINDOW")
    extent, size = _size(cursor, bool(partition))
    slide, internal = None, False
    while True:
        if slide is None and cursor.passes("SLIDE"):
            slide = _length(cursor, extent)
        elif not internal and cursor.passes("INTERNAL"):
            internal = True
        else:
            break
    if extent is Extent.COUNT and slide and cursor.token and cursor.token.text.lower() in UNITS:
        raise cursor.expected("']'", "a window of a number of tuples slides by a number of tuples")
    cursor.expect_kind(TokenType.R_BRACKET, "']'")
    span = cursor.source.span_of(first, cursor.last)
    if slide is not None and not uneven:
        _check_slide(extent, size, slide, span)
    return WindowClause(extent, size, span, slide, partition, internal)


def begins_window(cursor: Cursor) -> bool:
    """Whether a bracket begins a window whatever stands before it: no expression begins so."""
    following = cursor.peek(2)
    if following is None:
        return False
    measured = (
        following.token_type in (TokenType.NUMBER, TokenType.STRING) or following.text.upper() == "INTERVAL"
    )
    ahead = Cursor(cursor.source, cursor.place + 1)
    return ahead.at_words("PARTITION BY") or (
        measured and any(map(ahead.at_words, ("RANGE", "ROWS", "WINDOW")))
    )


def frame_clause(cursor: Cursor) -> FrameClause:
    """Read RANGE … or ROWS … and what follows it, up to the parenthesis that ends OVER."""
    first = cursor.take()
    extent = Extent.TIME if first.text.upper() == "RANGE" else Extent.COUNT
    between = cursor.passes("BETWEEN")
    size = _preceding(cursor, extent)
    if between:
        cursor.expect("AND")
        cursor.expect("CURRENT", "ROW")
    slide, active = None, False
    if cursor.passes("SLIDE"):
        slide = _length(cursor, extent)
    elif cursor.passes("ACTIVE"):
        cursor.expect("EXPIRATION")
        active = True
    span = cursor.source.span_of(first, cursor.last)
    if not cursor.at(TokenType.R_PAREN):
        raise cursor.expected("')'")
    _check_frame(extent, size, slide, active, span)
    return FrameClause(extent, size, span, slide, active)


def begins_frame(cursor: Cursor) -> bool:
    """Whether a frame of ours begins here, and not a column of that name or a frame beyond the row."""
    if not any(map(cursor.at_words, ("RANGE", "ROWS"))):
        return False
    ahead = Cursor(cursor.source, cursor.place + 1)
    starts = ahead.at(TokenType.NUMBER, TokenType.STRING) or any(
        map(ahead.at_words, ("INTERVAL", "UNBOUNDED", "BETWEEN", "CURRENT"))
    )
    frame = cursor.source.tokens[cursor.place :]
    for token in frame:
        if token.token_type is TokenType.R_PAREN:
            break
        if token.text.upper() in ("FOLLOWING", "EXCLUDE"):
            return False
    return starts


def _partition(cursor: Cursor) -> tuple[Name, ...]:
    if not cursor.passes("PARTITION BY"):
        return ()
    names = [cursor.dotted_name("the name of a column")]
    while cursor.passes_kind(TokenType.COMMA):
        names.append(cursor.dotted_name("the name of a column"))
    return tuple(names)


def _size(cursor: Cursor, partitioned: bool) -> tuple[Extent, int]:
    if cursor.passes("ROWS"):
        return Extent.COUNT, _length(cursor, Extent.COUNT)
    if partitioned:
        raise cursor.expected("ROWS", "only a window of a number of tuples is partitioned")
    if cursor.passes("RANGE") or cursor.passes("WINDOW"):
        if cursor.passes("UNBOUNDED"):
            return Extent.TIME, NEVER
        return Extent.TIME, _length(cursor, Extent.TIME)
    if cursor.passes("NOW"):
        return Extent.TIME, _NOW
    if cursor.passes("UNBOUNDED"):
        return Extent.TIME, NEVER
    raise cursor.expected(
        "a window",
        "windows are [RANGE 5 MINUTES], [ROWS 100], [PARTITION BY a ROWS 10], [NOW], [UNBOUNDED]",
    )


def _preceding(cursor: Cursor, extent: Extent) -> int | None:
    """The size before PRECEDING; CURRENT ROW is that of nothing before the row."""
    if cursor.passes("CURRENT", "ROW"):
        return 0
    size = None if cursor.passes("UNBOUNDED") else _length(cursor, extent, least=0)
    cursor.expect("PRECEDING")
    return size


def _length(cursor: Cursor, extent: Extent, least: int = 1) -> int:
    if extent is Extent.TIME:
        return cursor.duration().microseconds
    token = cursor.token
    if token is None or token.token_type is not TokenType.NUMBER:
        raise cursor.expected("a number of tuples")
    if not token.text.isdigit() or not least <= int(token.text) < NEVER:
        raise cursor.expected(f"a whole number from {least}")
    return int(cursor.take().text)


def _check_slide(extent: Extent, size: int, slide: int, span: Span) -> None:
    """A window that slides by less than its size moves by a part of it; one by more tumbles."""
    if size == NEVER or slide >= size or size % slide == 0:
        return
    window, step = _told(extent, size), _told(extent, slide)
    hint = f"choose a slide that divides {window}"
    if extent is Extent.TIME:
        hint += ", or write WINDOW instead of RANGE if it shall be uneven"
    raise Refused(f"a slide of {step} does not divide a window of {window}", span, hint=hint)


def _check_frame(extent: Extent, size: int | None, slide: int | None, active: bool, span: Span) -> None:
    if active and (extent is Extent.COUNT or size is None):
        raise Refused(
            "ACTIVE EXPIRATION is of frames of time: a frame of tuples loses one only as the next comes",
            span,
            hint="write RANGE and a length of time before PRECEDING",
        )
    if slide is None or size is None:
        return
    whole = size + 1 if extent is Extent.COUNT else size
    if slide < whole and whole % slide:
        hint = f"choose a slide that divides {_told(extent, whole)}"
        if extent is Extent.COUNT:
            hint += f": {size} PRECEDING and the tuple itself"
        raise Refused(
            f"a slide of {_told(extent, slide)} does not divide a frame of {_told(extent, whole)}",
            span,
            hint=hint,
        )


def _told(extent: Extent, length: int) -> str:
    return format_duration(length) if extent is Extent.TIME else counted(length, "tuple")
