"""From a slice of tokens to the tree of a query, or of a change to a table.

Constructs that neither DuckDB nor sqlglot knows are carved out first. DuckDB's own parser has the
last word on whether the rest is well-formed, and its faults are put into our words; sqlglot's then
builds the tree, on which the constructs are hung.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sqlglot import ParseError as TreeError
from sqlglot import Token, TokenType, exp

from windrow.errors import ParseError, Refused, Span
from windrow.language import engine
from windrow.language.carving import carve
from windrow.language.growth import check_growth
from windrow.language.hanging import hang
from windrow.language.names import did_you_mean
from windrow.language.spans import span_of
from windrow.language.statements import Query
from windrow.language.tokens import DIALECT, Source, depth_error, is_word, too_deep, word

MAX_NESTING = 32

_BEGINNERS = frozenset({"CREATE", "INSERT", "UPDATE", "DELETE", "SHOW", "DROP", "EXPLAIN", "SET", "SELECT"})
_PARAMETERS = frozenset({TokenType.PLACEHOLDER, TokenType.PARAMETER})
_NO_QUERIES = frozenset({"SHOW", "DESCRIBE", "DESC", "SUMMARIZE"})
_CLAUSES = ("SELECT", "FROM", "WHERE", "UNION", "ALL", "AS", "ORDER", "BY", "AND", "OR", "NOT", "BETWEEN")


def read_query(source: Source, tokens: Sequence[Token]) -> Query:
    """Parse the tokens of one query; any between them that are left out do not count."""
    carved = carve(source, tokens)
    return _query(hang(_tree(source, carved.tokens), carved.clauses), source, tokens)


def read_rows(source: Source, tokens: Sequence[Token]) -> tuple[tuple[exp.Expr, ...], ...]:
    """Parse VALUES (…), (…) into its rows."""
    tree = _tree(source, tokens)
    if not isinstance(tree, exp.Values) or tree.args.get("alias"):
        raise ParseError("expected VALUES (…)", source.span_of(tokens[0]))
    return tuple(tuple(row.expressions) for row in tree.expressions)


def read_table_query(source: Source, tokens: Sequence[Token]) -> Query:
    """Parse the tokens of a query over tables, which is DuckDB's own."""
    return _query(_tree(source, tokens), source, tokens)


def _query(tree: exp.Expr, source: Source, tokens: Sequence[Token]) -> Query:
    if not isinstance(tree, exp.Query):
        raise ParseError("a query begins with SELECT", source.span_of(tokens[0]))
    text = source.between(tokens[0], tokens[-1])
    return Query(tree, source, source.span_of(tokens[0], tokens[-1]), text)


def read_change(source: Source, tokens: Sequence[Token]) -> exp.Update | exp.Delete:
    """Parse the tokens of an UPDATE or a DELETE."""
    tree = _tree(source, tokens, kind=word(tokens[0]))
    assert isinstance(tree, exp.Update | exp.Delete)
    return tree


def read_expressions(source: Source, tokens: Sequence[Token]) -> tuple[exp.Expr, ...]:
    """Parse expressions with commas between."""
    first = tokens[0]
    select = Token(TokenType.SELECT, "SELECT", first.line, first.col, first.start, first.start)
    tree = _tree(source, tokens, select)
    if not isinstance(tree, exp.Select) or any(
        value for name, value in tree.args.items() if name != "expressions"
    ):
        raise ParseError("expected an expression", source.span_of(tokens[0], tokens[-1]))
    for expression in tree.expressions:
        if isinstance(expression, exp.Alias):
            alias = source.tokens[source.index_at(expression.args["alias"].meta["start"])]
            raise _unexpected(source, alias)
    return tuple(tree.expressions)


def _tree(
    source: Source, tokens: Sequence[Token], before: Token | None = None, kind: str = "SELECT"
) -> exp.Expr:
    if error := depth_error(source, tokens, MAX_NESTING):
        raise error
    _check_numbers(source, tokens)
    _check_beginnings(source, tokens)
    _check_parameters(source, tokens)
    _check_syntax(source, tokens, f"{before.text} " if before else "", kind)
    try:
        trees = DIALECT.parser().parse([before, *tokens] if before else list(tokens), source.text)
    except RecursionError:
        raise too_deep(source.span_of(tokens[0], tokens[-1])) from None
    except TreeError as fault:
        raise ParseError(
            "the query has a construct that is not read here", _place(source, tokens, fault)
        ) from None
    (tree,) = trees
    if tree is None:
        raise ParseError("a query begins with SELECT", source.span_of(tokens[0]))
    whole = source.span_of(tokens[0], tokens[-1])
    check_growth(tree, lambda part: span_of(part, source, whole))
    return tree


def _check_numbers(source: Source, tokens: Sequence[Token]) -> None:
    """Refuse 0x1F and the like, which DuckDB and sqlglot read differently."""
    for number, next_ in pairwise(tokens):
        if number.token_type is TokenType.NUMBER and next_.start == number.end + 1 and is_word(next_):
            raise ParseError(
                f"'{source.between(number, next_)}' is not a number",
                source.span_of(number, next_),
                hint="write numbers in decimal, and a blank before a name",
            )


def _check_beginnings(source: Source, tokens: Sequence[Token]) -> None:
    """Refuse what DuckDB would take for a query in parentheses though it asks about the catalog."""
    for before, token in zip((None, *tokens), tokens, strict=False):
        begins = before is None or before.token_type is TokenType.L_PAREN
        if begins and word(token) in _NO_QUERIES:
            raise ParseError("a query begins with SELECT", source.span_of(token))


def _check_parameters(source: Source, tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.token_type in _PARAMETERS and token.text in ("?", "$"):
            raise Refused(
                "a statement takes no parameters", source.span_of(token), hint="write the value itself"
            )


def _check_syntax(source: Source, tokens: Sequence[Token], before: str, kind: str) -> None:
    text = f"{before}{source.only(tokens)}"
    fault = engine.syntax_fault(text, kind)
    if fault is None:
        return
    if fault.message.startswith("Max expression depth"):
        raise too_deep(source.span_of(tokens[0], tokens[-1]))
    if fault.message.startswith("SELECT clause without"):
        culprit = _bare_select(tokens, is_query=not before)
        if culprit is None:
            raise _unexpected(source, tokens[0])
        raise ParseError(
            "SELECT names no columns", source.span_of(culprit), hint="* stands for all columns"
        )
    if fault.position is None:
        raise ParseError(_sentence(fault.message), source.span_of(tokens[0], tokens[-1]))
    offset = _characters(text, fault.position)
    place = source.index_at(tokens[0].start + offset - len(before))
    culprit = source.tokens[min(place, source.index_at(tokens[-1].start))]
    if culprit is tokens[-1] and _ends_early(text, offset, kind):
        raise ParseError(
            f"the statement ends too early, after '{source.written(culprit)}'", source.span_after(culprit)
        )
    raise _unexpected(source, culprit)


_AFTER_COLUMNS = (TokenType.FROM, TokenType.WHERE, TokenType.R_PAREN)


def _bare_select(tokens: Sequence[Token], *, is_query: bool) -> Token | None:
    """The SELECT that is followed by no expression; None: it stands before all tokens, which are none."""
    for token, next_ in pairwise(tokens):
        if token.token_type is TokenType.SELECT and next_.token_type in _AFTER_COLUMNS:
            return token
    selects = (token for token in reversed(tokens) if token.token_type is TokenType.SELECT)
    return next(selects, None) if is_query else None


def _unexpected(source: Source, token: Token) -> ParseError:
    before = source.tokens[max(0, source.index_at(token.start) - 1)]
    hint = "statements are separated by ;" if word(token) in _BEGINNERS else _misspelt(before, token)
    return ParseError(f"unexpected '{source.written(token)}'", source.span_of(token), hint=hint)


def _misspelt(*tokens: Token) -> str | None:
    """The keyword that one of some tokens is nearly: WHER, taken for an alias, is seen one too late."""
    for token in tokens:
        is_misspelt = len(token.text) > 2 and is_word(token) and word(token) not in _CLAUSES
        if is_misspelt and (hint := did_you_mean(token.text, _CLAUSES)):
            return hint
    return None


def _ends_early(text: str, offset: int, kind: str) -> bool:
    """Whether the last token is blamed only because no other follows it."""
    fault = engine.syntax_fault(f"{text} x", kind)
    return fault is None or fault.position is None or _characters(f"{text} x", fault.position) > offset


def _characters(text: str, position: int) -> int:
    return len(text.encode()[:position].decode(errors="ignore"))


def _sentence(message: str) -> str:
    first = message.partition("\n")[0].rstrip("!.")
    return f"{first[:1].lower()}{first[1:]}" if first[1:2].islower() else first


def _place(source: Source, tokens: Sequence[Token], error: TreeError) -> Span:
    said = error.errors[0] if error.errors else {}
    for token in tokens:
        if (token.line, token.col) == (said.get("line"), said.get("col")):
            return source.span_of(token)
    return source.span_of(tokens[0], tokens[-1])
