"""Clauses of a query that sqlglot reads and a query over streams cannot have."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from windrow.errors import Refused
from windrow.language.scope import Scope
from windrow.language.spans import keyword_span


@dataclass(frozen=True)
class _Clause:
    """A clause: what it is called, the keywords that the caret goes under, and what to do instead."""

    name: str
    keywords: tuple[str, ...]
    hint: str


_CLAUSES: dict[str, _Clause] = {
    "laterals": _Clause("LATERAL", ("LATERAL",), "compute with the columns of one stream"),
    "qualify": _Clause("QUALIFY", ("QUALIFY",), "choose tuples with WHERE"),
    "windows": _Clause("WINDOW", ("WINDOW",), "compute with the columns of each tuple"),
    "sample": _Clause(
        "a sample", ("SAMPLE", "TABLESAMPLE"), "choose tuples with WHERE on a hash of a column"
    ),
    "pivots": _Clause("PIVOT", ("PIVOT", "UNPIVOT"), "write the columns out"),
    "by_name": _Clause(
        "UNION BY NAME", ("BY", "NAME", "BY NAME"), "name the columns in one order, and UNION them"
    ),
    "into": _Clause("SELECT INTO", ("INTO",), "INSERT INTO 'uri' sends results to a sink"),
}

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
    """Refuse the first clause of a query, or of a table in FROM, that has no meaning over streams."""
    for key, value in node.args.items():
        if key in _SUPPORTED or not value:
            continue
        clause = _CLAUSES.get(key, _Clause(key.replace("_", " ").strip().upper(), (), "leave it out"))
        near = value[0] if isinstance(value, list) else value
        anchor = near if isinstance(near, exp.Expr) else node
        span = keyword_span(anchor, scope.source, scope.place(anchor), *clause.keywords)
        raise Refused(f"a query over streams cannot have {clause.name} yet", span, hint=clause.hint)
