"""What neither DuckDB nor sqlglot knows, carved out of a query's tokens.

Windows behind what FROM names, frames of OVER in our units, and Istream and its like around the
SELECT list leave the tokens. The token that a clause belongs to takes its number along as a comment,
and sqlglot puts that on the node which the token begins: there `hanging` finds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sqlglot import Token, TokenType

from windrow.errors import ParseError, Span
from windrow.language.cursor import Cursor
from windrow.language.output_clauses import (
    OUTPUTS,
    Kind,
    misplaced,
    output_clause,
    wstream_without_window,
)
from windrow.language.statements import FrameClause, Name, OutputClause, WindowClause
from windrow.language.tokens import CLOSING, OPENING, Source, word
from windrow.language.window_clauses import begins_frame, begins_window, frame_clause, window_clause

Clause: TypeAlias = WindowClause | FrameClause | OutputClause | Name

_QUERY_BEGINNERS = frozenset({"SELECT", "FROM", "WITH", "VALUES"})
_ENDS_OF_FROM = frozenset(
    {"WHERE", "GROUP BY", "HAVING", "QUALIFY", "WINDOW", "ORDER BY", "LIMIT", "OFFSET", "FETCH"}
)
_SET_OPERATORS = frozenset({"UNION", "INTERSECT", "EXCEPT"})
_ENDS_OF_SELECT = _ENDS_OF_FROM | _SET_OPERATORS | {"FROM", "INTO"}
_ENDS_OF_LIST = (None, TokenType.R_PAREN, TokenType.SEMICOLON)


@dataclass(frozen=True)
class Carried:
    """A clause, and whether it is an opening parenthesis that takes it along."""

    clause: Clause
    by_parenthesis: bool


@dataclass(frozen=True)
class Carved:
    """What is left of a query's tokens, and by number what was taken out."""

    tokens: tuple[Token, ...]
    clauses: Mapping[str, Carried]


def carve(source: Source, tokens: Sequence[Token]) -> Carved:
    """Take the clauses out of the tokens of one query."""
    return _Carver(source, tokens).carve()


@dataclass
class _Level:
    """The brackets around the place that is read, or the whole query."""

    kind: Literal["query", "tables", "over", "wstream", "other"]
    """tables: parentheses around relations in FROM."""
    bearer: int = 0
    """Of over and wstream: the place of the function's name."""
    clause: Literal["", "select", "from", "on", "rest"] = ""
    """Of query and tables: what part of it; in `from`, relations and their windows may stand."""
    relation: int | None = None
    """Where the relation in FROM begins that was read last."""


@dataclass
class _Carver:
    """Passes once along the tokens, and knows at each what it stands in."""

    source: Source
    tokens: Sequence[Token]
    levels: list[_Level] = field(default_factory=lambda: [_Level("query")])
    opened: list[int] = field(default_factory=list)
    openings: dict[int, int] = field(default_factory=dict)
    """By the place of a closing bracket, that of its partner."""
    dropped: set[int] = field(default_factory=set)
    carried: dict[int, list[Clause]] = field(default_factory=dict)
    """By the place of the token that takes them along."""

    def carve(self) -> Carved:
        for place, token in enumerate(self.tokens):
            if place in self.dropped:
                continue
            if token.token_type in OPENING:
                self._open(place, token)
            elif token.token_type in CLOSING:
                self._close(place, token)
            else:
                self._pass(place, token)
        return self._carved()

    def _pass(self, place: int, token: Token) -> None:
        level, said = self.levels[-1], word(token)
        if said in OUTPUTS:
            self._output(place, OUTPUTS[said])
            if place in self.dropped:
                return
        if level.kind in ("query", "tables"):
            self._follow(level, place, said)
        elif level.kind == "over" and begins_frame(self._cursor(place)):
            cursor = self._cursor(place)
            self._carry(frame_clause(cursor), place, cursor, level.bearer)

    def _follow(self, level: _Level, place: int, said: str) -> None:
        """Keep up with the clauses of a query."""
        if said == "SELECT":
            level.clause = "select"
        elif said == "FROM" and level.clause in ("", "select") and self._word(place - 1) != "DISTINCT":
            level.clause, level.relation = "from", None
        elif said in _SET_OPERATORS:
            level.clause = ""
        elif level.clause not in ("from", "on"):
            return
        elif said == "JOIN" or self.tokens[place].token_type is TokenType.COMMA:
            level.clause, level.relation = "from", None
        elif said in _ENDS_OF_FROM:
            level.clause = "rest"
        elif said in ("ON", "USING"):
            level.clause = "on"
        elif level.clause == "from" and level.relation is None and said != "LATERAL":
            level.relation = place

    def _open(self, place: int, token: Token) -> None:
        level = self.levels[-1]
        if token.token_type is TokenType.L_BRACKET and self._is_window(level, place):
            assert level.relation is not None
            self._window(place, level.relation)
            return
        self.opened.append(place)
        if token.token_type is not TokenType.CASE:
            self.levels.append(self._level(level, place))

    def _level(self, level: _Level, place: int) -> _Level:
        """What a bracket opens."""
        begins_relation = level.clause == "from" and level.relation is None
        if begins_relation:
            level.relation = place
        if self._word(place + 1) in _QUERY_BEGINNERS:
            return _Level("query")
        if begins_relation:
            return _Level("tables", clause="from")
        before = self._word(place - 1)
        if before == "OVER" and (function := self._function(place - 1)) is not None:
            return _Level("over", function)
        return _Level("wstream", place - 1) if before == "WSTREAM" else _Level("other")

    def _close(self, place: int, token: Token) -> None:
        if self.opened:
            self.openings[place] = self.opened.pop()
        if token.token_type is TokenType.END or len(self.levels) == 1:
            return
        closed = self.levels.pop()
        if closed.kind == "wstream":
            if self._kind(place + 1) is not TokenType.L_BRACKET:
                raise wstream_without_window(self._span(closed.bearer, place))
            self._window(place + 1, closed.bearer)

    def _is_window(self, level: _Level, place: int) -> bool:
        if level.clause == "from" and level.relation is not None:
            return True
        if begins_window(self._cursor(place)):
            raise ParseError(
                "a window stands behind a stream or a query in FROM",
                self.source.span_of(self.tokens[place]),
                hint="as in FROM S [RANGE 5 MINUTES]",
            )
        return False

    def _window(self, place: int, bearer: int) -> None:
        if any(isinstance(each, WindowClause) for each in self.carried.get(bearer, ())):
            raise ParseError(
                "a second window for the same tuples",
                self.source.span_of(self.tokens[place]),
                hint="put a query around the first, and the second behind that",
            )
        cursor = self._cursor(place)
        self._carry(window_clause(cursor), place, cursor, bearer)

    def _output(self, place: int, kind: Kind) -> None:
        """Istream(…) and its like: the SELECT list stays, what is around it goes."""
        restore = self._kind(place + 1) is TokenType.DASH and self._word(place + 2) == "RESTORE"
        opening = place + 3 if restore else place + 1
        if self._kind(opening) is not TokenType.L_PAREN:
            return
        select = place - 2 if self._word(place - 1) in ("DISTINCT", "ALL") else place - 1
        if self._word(select) != "SELECT":
            if kind == "Wstream" and not restore:
                return  # within an aggregate, and its window is found where the parenthesis closes
            raise misplaced(kind, self._span(place, opening - 1))
        closing = self._closing(opening)
        if closing is None:
            return
        window, end = None, closing
        if self._kind(closing + 1) is TokenType.L_BRACKET:
            cursor = self._cursor(closing + 1)
            window = window_clause(cursor)
            end += cursor.place - self._cursor(closing + 1).place
        if self._kind(end + 1) not in _ENDS_OF_LIST and self._word(end + 1) not in _ENDS_OF_SELECT:
            raise misplaced(kind, self._span(place, closing))
        clause = output_clause(kind, restore, window, self._span(place, end))
        self.dropped.update((*range(place, opening + 1), *range(closing, end + 1)))
        self.carried.setdefault(select, []).append(clause)

    def _closing(self, opening: int) -> int | None:
        depth = 0
        for place in range(opening, len(self.tokens)):
            depth += (self._kind(place) in OPENING) - (self._kind(place) in CLOSING)
            if depth == 0:
                return place
        return None

    def _function(self, over: int) -> int | None:
        """Where the call begins whose OVER stands at a place: before FILTER (…) and its like.

        ESL also writes the alias before OVER: it goes, and the function takes it along.
        """
        place, alias = over - 1, None
        if self._word(place - 1) == "AS":
            alias = Name(self.tokens[place].text, self._span(place, place))
            place -= 2
        while self._word(place) == "NULLS":
            place -= 2
        while (opening := self.openings.get(place)) is not None:
            place = opening - 1
            if self._word(place) in ("FILTER", "GROUP", "WITHIN GROUP"):
                place -= 2 if self._word(place) == "GROUP" else 1
                continue
            if alias is not None:
                self.dropped.update((over - 2, over - 1))
                self.carried.setdefault(place, []).append(alias)
            return place
        return None

    def _carry(self, clause: Clause, place: int, cursor: Cursor, bearer: int) -> None:
        """A clause was read from a place on: its tokens go, and the bearer takes it along."""
        count = cursor.place - self.source.index_at(self.tokens[place].start)
        self.dropped.update(range(place, place + count))
        self.carried.setdefault(bearer, []).append(clause)

    def _carved(self) -> Carved:
        clauses: dict[str, Carried] = {}
        kept: list[Token] = []
        for place, token in enumerate(self.tokens):
            if place in self.dropped:
                continue
            numbers = []
            for clause in self.carried.get(place, ()):
                numbers.append(str(len(clauses)))
                clauses[numbers[-1]] = Carried(clause, token.token_type is TokenType.L_PAREN)
            kept.append(_with_comments(token, numbers) if numbers else token)
        return Carved(tuple(kept), clauses)

    def _cursor(self, place: int) -> Cursor:
        return Cursor(self.source, self.source.index_at(self.tokens[place].start))

    def _span(self, first: int, last: int) -> Span:
        return self.source.span_of(self.tokens[first], self.tokens[last])

    def _kind(self, place: int) -> TokenType | None:
        return self.tokens[place].token_type if 0 <= place < len(self.tokens) else None

    def _word(self, place: int) -> str:
        return word(self.tokens[place]) if 0 <= place < len(self.tokens) else ""


def _with_comments(token: Token, comments: list[str]) -> Token:
    return Token(token.token_type, token.text, token.line, token.col, token.start, token.end, comments)
