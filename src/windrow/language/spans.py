"""Where a node of a query tree stands in the text.

sqlglot notes places on names, literals and function names only. The span of any other node runs
over those below it, and is then widened until its parentheses match.
"""

from __future__ import annotations

from sqlglot import Token, TokenType, exp

from windrow.errors import Span
from windrow.language.tokens import CLOSING, OPENING, Source, is_word


def extent(node: exp.Expr) -> tuple[int, int] | None:
    """The offsets of the first and last characters known to belong to a node."""
    places = [below.meta for below in node.walk() if "start" in below.meta]
    if not places:
        return None
    return min(place["start"] for place in places), max(place["end"] for place in places)


def span_of(node: exp.Expr, source: Source, otherwise: Span) -> Span:
    """The span of a node; of one that left no trace, that of what is around it."""
    place = extent(node)
    if place is None:
        return span_of(node.parent, source, otherwise) if node.parent else otherwise
    first, last = source.index_at(place[0]), source.index_at(place[1])
    first, last = _matched(source.tokens, first, last)
    if isinstance(node, exp.Func) and "start" not in node.meta and not isinstance(node, exp.Binary):
        first, last = _with_name(source.tokens, first, last, node.sql_names())
    if isinstance(node, exp.Query):
        first = _select_before(source.tokens, first)
    return source.span_of(source.tokens[first], source.tokens[last])


def keyword_span(node: exp.Expr, source: Source, otherwise: Span, *keywords: str) -> Span:
    """The span of the nearest of some keywords before the end of a node, as GROUP BY before its keys."""
    place = extent(node)
    stop = len(source.tokens) if place is None else source.index_at(place[1]) + 1
    for token in reversed(source.tokens[:stop]):
        if token.text.upper() in keywords and token.token_type is not TokenType.STRING:
            return source.span_of(token)
    return otherwise


def _select_before(tokens: tuple[Token, ...], first: int) -> int:
    """The SELECT whose list begins at a token; the token itself if there is none before it, or if
    it opens the parentheses that the SELECT is in."""
    if tokens[first].token_type is TokenType.L_PAREN and tokens[first + 1].token_type is TokenType.SELECT:
        return first
    for place in range(first, -1, -1):
        if tokens[place].token_type is TokenType.SELECT:
            return place
    return first


def _matched(tokens: tuple[Token, ...], first: int, last: int) -> tuple[int, int]:
    """Widen a range of tokens until every bracket in it has its partner there."""
    if last + 1 < len(tokens) and first == last and _calls(tokens[last], tokens[last + 1]):
        last += 1
    open_, lacking = _balance(tokens[first : last + 1])
    while open_ and last + 1 < len(tokens):
        last += 1
        open_ += _step(tokens[last])
    while lacking and first > 0:
        first -= 1
        lacking -= _step(tokens[first])
    if first > 0 and _calls(tokens[first - 1], tokens[first]):
        first -= 1
    return first, last


def _with_name(tokens: tuple[Token, ...], first: int, last: int, names: list[str]) -> tuple[int, int]:
    """Widen the arguments of a call to the call: some names leave no trace, as that of CAST."""
    depth = 0
    for place in range(first - 1, 0, -1):
        depth -= _step(tokens[place])
        if depth < 0:
            called = _calls(tokens[place - 1], tokens[place]) and tokens[place - 1].text.upper() in names
            return _matched(tokens, place - 1, last) if called else (first, last)
    return first, last


def _calls(token: Token, next_: Token) -> bool:
    """Whether two tokens are a word with its parenthesis right behind it."""
    return is_word(token) and next_.token_type is TokenType.L_PAREN and next_.start == token.end + 1


def _step(token: Token) -> int:
    return (token.token_type in OPENING) - (token.token_type in CLOSING)


def _balance(tokens: tuple[Token, ...]) -> tuple[int, int]:
    """How many brackets stay open at the end, and how many closed that were not opened."""
    open_ = lacking = 0
    for token in tokens:
        open_ += _step(token)
        if open_ < 0:
            open_, lacking = 0, lacking + 1
    return open_, lacking
