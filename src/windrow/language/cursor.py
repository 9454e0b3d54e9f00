"""Reading tokens one after another: the hand that the statement parser moves along a text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sqlglot import Token, TokenType

from windrow.durations import DurationError, parse_duration
from windrow.errors import ParseError, Span
from windrow.language.engine import reserved_words
from windrow.language.statements import Duration, Name, Text
from windrow.language.tokens import CLOSING, OPENING, TEXTS, Source, is_word, word

Item = TypeVar("Item")


@dataclass
class Cursor:
    """A place among the tokens of a text."""

    source: Source
    place: int = 0

    @property
    def token(self) -> Token | None:
        return self.peek(0)

    def peek(self, ahead: int) -> Token | None:
        place = self.place + ahead
        return self.source.tokens[place] if place < len(self.source.tokens) else None

    @property
    def last(self) -> Token:
        """The token just passed."""
        return self.source.tokens[self.place - 1]

    @property
    def here(self) -> Span:
        """Where the next token is; at the end of the text or a statement, behind the last one."""
        if self.token is None or (self.at(TokenType.SEMICOLON) and self.place > 0):
            return self.source.span_after(self.last)
        return self.source.span_of(self.token)

    def found(self) -> str:
        """The next token in words."""
        if self.token is None or self.at(TokenType.SEMICOLON):
            return "the end of the statement"
        return f"'{self.source.written(self.token)}'"

    def expected(self, what: str, hint: str | None = None) -> ParseError:
        return ParseError(f"expected {what}, found {self.found()}", self.here, hint=hint)

    def at(self, *kinds: TokenType) -> bool:
        return self.token is not None and self.token.token_type in kinds

    def at_words(self, *words: str) -> bool:
        """Whether these words come next, one after another."""
        ahead = [self.peek(index) for index in range(len(words))]
        return all(
            token is not None and word(token) == want for token, want in zip(ahead, words, strict=True)
        )

    def take(self) -> Token:
        """Pass the next token, which must be there."""
        self.place += 1
        return self.last

    def passes(self, *words: str) -> bool:
        """Pass these words if they come next."""
        if not self.at_words(*words):
            return False
        self.place += len(words)
        return True

    def passes_kind(self, kind: TokenType) -> bool:
        """Pass a token of a kind if it comes next."""
        if not self.at(kind):
            return False
        self.place += 1
        return True

    def expect(self, *words: str) -> None:
        if not self.passes(*words):
            raise self.expected(" ".join(words))

    def expect_kind(self, kind: TokenType, sign: str) -> None:
        if not self.passes_kind(kind):
            raise self.expected(sign)

    def name(self, what: str) -> Name:
        """A name: a word that is not reserved, or anything in double quotes."""
        token = self.token
        if token is None or not (token.token_type is TokenType.IDENTIFIER or is_word(token)):
            raise self.expected(what)
        if token.token_type is not TokenType.IDENTIFIER and token.text.lower() in reserved_words():
            raise self.expected(what, f'as a name it must stand in quotes: "{token.text}"')
        self.take()
        return Name(token.text, self.source.span_of(token))

    def hyphenated_name(self, what: str) -> Name:
        """A name that may have hyphens, as in ESL: where it is declared, nothing can be subtracted."""
        first = self.token
        name = self.name(what)
        while (
            self.at(TokenType.DASH)
            and (next_ := self.peek(1)) is not None
            and is_word(next_)
            and next_.start == self.last.end + 2
        ):
            self.place += 2
        assert first is not None
        if self.last is first:
            return name
        return Name(self.source.between(first, self.last), self.source.span_of(first, self.last))

    def dotted_name(self, what: str) -> Name:
        """A name that may have parts, as S.late has."""
        first = self.token
        parts = [self.name(what).text]
        while self.passes_kind(TokenType.DOT):
            parts.append(self.name("a name").text)
        assert first is not None
        return Name(".".join(parts), self.source.span_of(first, self.last))

    def string(self, what: str) -> Text:
        """A string literal."""
        if not self.at(*TEXTS):
            raise self.expected(what)
        token = self.take()
        return Text(token.text, self.source.span_of(token))

    def duration(self) -> Duration:
        """5 SECONDS, 1 MINUTE 30 SECONDS, or the same as a string; above zero."""
        self.passes("INTERVAL")
        start = self.place
        if not self.at(*TEXTS, TokenType.NUMBER):
            raise self.expected("a length of time", "write a number and a unit, as in 5 SECONDS")
        while self.at(TokenType.NUMBER) or (self.place == start and self.at(*TEXTS)):
            lacks_unit = self.take().text.replace(".", "", 1).isdigit()
            if lacks_unit and self.token is not None and is_word(self.token):
                self.take()
        tokens = self.source.tokens[start : self.place]
        span = self.source.span_of(tokens[0], tokens[-1])
        try:
            length = parse_duration(" ".join(token.text for token in tokens))
        except DurationError as error:
            raise ParseError(str(error), span, hint=error.hint) from None
        if length <= 0:
            raise ParseError(
                "a length of time must be more than nothing", span, hint="leave the clause out"
            )
        return Duration(length, span)

    def listed(self, item: Callable[[], Item]) -> tuple[Item, ...]:
        """Items in parentheses, with commas between."""
        self.expect_kind(TokenType.L_PAREN, "'('")
        items = [item()]
        while self.passes_kind(TokenType.COMMA):
            items.append(item())
        self.expect_kind(TokenType.R_PAREN, "',' or ')'")
        return tuple(items)

    def until(self, *kinds: TokenType) -> tuple[Token, ...]:
        """Pass all tokens up to one of these kinds that stands outside any parentheses."""
        start, depth = self.place, 0
        while (token := self.token) is not None:
            if depth <= 0 and token.token_type in kinds:
                break
            depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
            self.take()
        return self.source.tokens[start : self.place]
