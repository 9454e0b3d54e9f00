"""From text to tokens, and from offsets to the spans that errors draw.

The tokenizer is that of sqlglot's DuckDB dialect, used as it is. Four of its habits are undone
here: it hands over what follows EXPLAIN unread, it takes current_time and its like for keywords
though a stream may have a column of that name, it takes ≤ for a letter, and its errors do not say
where.
"""

from __future__ import annotations

import bisect
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import Token, TokenType
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import TokenError

from windrow.errors import ParseError, Span

DIALECT = DuckDB()

OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
TEXTS = frozenset({TokenType.STRING, TokenType.HEREDOC_STRING, TokenType.BYTE_STRING})

SIGNS = {
    "≤": (TokenType.LTE, "<="),
    "≥": (TokenType.GTE, ">="),
    "≠": (TokenType.NEQ, "<>"),
}
"""Comparisons as books print them."""
_STAND_IN = "%"
"""Another operator of one character, which joins with nothing behind it."""
_AS_STAND_IN = str.maketrans(dict.fromkeys(SIGNS, _STAND_IN))

_SWALLOWING = "explain"
_PRIVATE_USE = range(0xE000, 0xF8FF)
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True, eq=False)
class Source:
    """A text and its tokens."""

    text: str = field(repr=False)
    tokens: tuple[Token, ...] = field(repr=False)
    _lines: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        breaks = [place + 1 for place, character in enumerate(self.text) if character == "\n"]
        object.__setattr__(self, "_lines", (0, *breaks))

    @classmethod
    def read(cls, text: str) -> Source:
        """Tokenize a text."""
        return cls(text, tokenize(text))

    def span(self, start: int, stop: int) -> Span:
        """The span from one offset up to another; where it runs over lines, its first line."""
        line = bisect.bisect_right(self._lines, start)
        begin = self._lines[line - 1]
        text = self.text[begin:].partition("\n")[0].rstrip("\r")
        return Span(line, start - begin + 1, max(1, min(stop, begin + len(text)) - start), text)

    def offset(self, span: Span) -> int:
        """Where a span of this text starts."""
        return self._lines[span.line - 1] + span.column - 1

    def span_of(self, first: Token, last: Token | None = None) -> Span:
        """The span of a token, or from one to another."""
        return self.span(first.start, (last or first).end + 1)

    def span_after(self, token: Token) -> Span:
        """The place right behind a token, where something is missing."""
        return self.span(token.end + 1, token.end + 2)

    def written(self, token: Token) -> str:
        """A token as it stands in the text, quotes and all."""
        return self.text[token.start : token.end + 1]

    def between(self, first: Token, last: Token) -> str:
        """The text from one token to another."""
        return self.text[first.start : last.end + 1]

    def only(self, tokens: Sequence[Token]) -> str:
        """The text of some tokens with blanks for all else between them, so that places stay.

        A comparison as books print it becomes another one of one character.
        """
        place, parts = tokens[0].start, []
        for token in tokens:
            written = self.written(token)
            parts.append(f"{' ' * (token.start - place)}{'<' if written in SIGNS else written}")
            place = token.end + 1
        return "".join(parts)

    def index_at(self, offset: int) -> int:
        """The index of the token that holds an offset, or of the next behind it."""
        return bisect.bisect_left(self.tokens, offset, key=_end)


def is_word(token: Token) -> bool:
    """Whether a token is an unquoted word: a keyword or a name."""
    first = token.text[:1]
    return token.token_type not in (*TEXTS, TokenType.IDENTIFIER, TokenType.NUMBER) and (
        first.isalpha() or first == "_"
    )


def word(token: Token) -> str:
    """An unquoted word in capitals, or two that are one token, as ORDER BY; else nothing."""
    return " ".join(token.text.upper().split()) if is_word(token) else ""


def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of a text, with true offsets."""
    stood_in = text.translate(_AS_STAND_IN)
    tokens = _scanned(stood_in)
    if stood_in == text:
        return tokens
    return tuple(read for token in tokens for read in _with_signs(token, text))


def _with_signs(token: Token, text: str) -> Iterator[Token]:
    """A token of a text in which something stood in for the printed comparisons, as it was."""
    written = text[token.start : token.end + 1]
    if written in SIGNS:
        kind, sign = SIGNS[written]
        yield Token(kind, sign, token.line, token.col, token.start, token.end, token.comments)
    elif any(sign in written for sign in SIGNS):
        for read in _scanned(written):
            start, end = token.start + read.start, token.start + read.end
            yield Token(read.token_type, read.text, token.line, token.col, start, end, token.comments)
    else:
        yield token


def _scanned(text: str) -> tuple[Token, ...]:
    disguised, reveal = _disguise(text)
    try:
        found = DIALECT.tokenize(disguised)
    except TokenError as error:
        raise _located(text, error) from None
    return tuple(_plain(token, reveal) for token in found)


def _end(token: Token) -> int:
    return int(token.end)


def _plain(token: Token, reveal: Callable[[str], str]) -> Token:
    kind = TokenType.VAR if _is_clock_word(token.token_type) else token.token_type
    return Token(kind, reveal(token.text), token.line, token.col, token.start, token.end)


@functools.cache
def _is_clock_word(kind: TokenType) -> bool:
    return kind.name.startswith(("CURRENT_", "LOCALTIME"))


def _disguise(text: str) -> tuple[str, Callable[[str], str]]:
    """The text with the swallowing keyword made an ordinary word, and the way back.

    The first letter of each occurrence gives way to a character that the text does not have.
    """
    lowered = text.translate(_ASCII_LOWER)
    if _SWALLOWING not in lowered:
        return text, str
    masks = (chr(code) for code in _PRIVATE_USE if chr(code) not in text)
    capital, small = next(masks), next(masks)
    characters = list(text)
    place = lowered.find(_SWALLOWING)
    while place >= 0:
        characters[place] = capital if text[place] == "E" else small
        place = lowered.find(_SWALLOWING, place + 1)
    back = {ord(capital): "E", ord(small): "e"}
    return "".join(characters), lambda masked: masked.translate(back)


def _located(text: str, error: TokenError) -> ParseError:
    """What the tokenizer could not finish: a string, a quoted name or a comment."""
    lines = Source(text, ())
    _, _, offset = str(error.__cause__ or error.__context__ or "").rpartition(":")
    start = int(offset) if offset.isdigit() and int(offset) < len(text) else max(0, text.rfind("/*"))
    return ParseError(
        "a string, a quoted name or a comment begins here and does not end",
        lines.span(start, len(text)),
        hint="close it with the sign that opened it",
    )


def depth_error(source: Source, tokens: Sequence[Token], limit: int) -> ParseError | None:
    """An error if parentheses, brackets, braces and CASEs nest deeper than the limit."""
    depth = 0
    for token in tokens:
        if token.token_type in OPENING:
            depth += 1
            if depth > limit:
                return too_deep(source.span_of(token))
        elif token.token_type in CLOSING:
            depth -= 1
    return None


def too_deep(span: Span) -> ParseError:
    """The error of an expression that nests too deeply to be read."""
    return ParseError(
        "the expression nests too deeply", span, hint="compute a part of it in a subquery in FROM"
    )
