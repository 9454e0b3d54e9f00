"""Clauses of a query that no step computes by itself, and those that a query over streams cannot have."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from windrow.errors import Refused
from windrow.language.context import NotIncremental
from windrow.language.scope import Scope
from windrow.language.spans import keyword_span


@dataclass(frozen=True)
class _Clause:
    """A clause: what it is called, the keywords that the caret goes under, and what to do instead."""

    name: str
    keywords: tuple[str, ...]
    hint: str


_CLAUSES: dict[str, _Clause] = {
    "sample": _Clause(
        "a sample", ("SAMPLE", "TABLESAMPLE"), "choose tuples with WHERE on a hash of a column"
    ),
    "into": _Clause("SELECT INTO", ("INTO",), "INSERT INTO 'uri' sends results to a sink"),
}

_WHOLE: dict[str, str] = {
    "laterals": "LATERAL",
    "qualify": "QUALIFY",
    "windows": "WINDOW",
    "pivots": "PIVOT",
    "by_name": "BY NAME",
}
"""Clauses of a query that is asked again as a whole."""

_SUPPORTED = frozenset(
    {
        "joins",
        "group",
        "having",
        "this",
        "expressions",
        "expression",
        "from_",
        "where",
        "with_",
        "order",
        "limit",
        "offset",
        "alias",
        "db",
        "catalog",
        "side",
        "kind",
        "distinct",
    }
)


def refuse_clauses(node: exp.Expr, scope: Scope) -> None:
    """Refuse the first clause of a query, or of a table in FROM, that has no meaning over streams; raises
    NotIncremental for one that only the whole query has."""
    for key, value in node.args.items():
        if key in _SUPPORTED or not value:
            continue
        if key in _WHOLE:
            raise NotIncremental(_WHOLE[key])
        clause = _CLAUSES.get(key, _Clause(key.replace("_", " ").strip().upper(), (), "leave it out"))
        near = value[0] if isinstance(value, list) else value
        anchor = near if isinstance(near, exp.Expr) else node
        span = keyword_span(anchor, scope.source, scope.place(anchor), *clause.keywords)
        raise Refused(f"a query over streams cannot have {clause.name}", span, hint=clause.hint)


def refuse_samples(query: exp.Expr, scope: Scope) -> None:
    """Refuse a sample anywhere in a query: it would be another one each time."""
    for each in query.walk():
        if each.args.get("sample"):
            refuse_clauses(exp.Table(sample=each.args["sample"]), scope)
