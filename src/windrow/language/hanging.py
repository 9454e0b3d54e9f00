"""Putting carved-out clauses on the nodes of the tree that they belong to, as their `meta`."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from windrow.errors import ParseError
from windrow.language.carving import Carried
from windrow.language.statements import FrameClause, Name, OutputClause, WindowClause


def hang(tree: exp.Expr, clauses: Mapping[str, Carried]) -> exp.Expr:
    """The tree with each clause on its node; numbers in comments say which that is."""
    left = dict(clauses)
    if not left:
        return tree
    root = exp.Paren(this=tree)
    for node in list(root.walk()):
        for number in node.pop_comments() or ():
            carried = left.get(number)
            if carried is not None and _hung(node, carried):
                del left[number]
    for carried in left.values():
        raise _homeless(carried)
    hung: exp.Expr = root.this.pop()
    return hung


def _hung(node: exp.Expr, carried: Carried) -> bool:
    """Whether a clause belongs to a node, or to the parentheses around it; puts it there if so."""
    clause = carried.clause
    if isinstance(clause, OutputClause):
        return _put(node, exp.Select, "output", clause)
    if isinstance(clause, FrameClause):
        return _put(_calling(node), exp.Window, "frame", clause)
    if isinstance(clause, Name):
        named = exp.Alias(alias=exp.to_identifier(clause.text, quoted=True))
        node.replace(named)
        named.set("this", node)
        return True
    if carried.by_parenthesis:
        return node.parent is not None and _put(node.parent, exp.Subquery, "window", clause)
    return _put(node, (exp.Table, exp.Anonymous), "window", clause)


def _calling(node: exp.Expr) -> exp.Expr:
    """The OVER that a node is, or that it names, or is the function of, with FILTER or the like."""
    around: exp.Expr = node.this if isinstance(node, exp.Alias) else node
    while isinstance(around.parent, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        around = around.parent
    return around.parent if isinstance(around.parent, exp.Window) else around


def _put(
    node: exp.Expr, kind: type[exp.Expr] | tuple[type[exp.Expr], ...], key: str, clause: object
) -> bool:
    if not isinstance(node, kind) or key in node.meta:
        return False
    node.meta[key] = clause
    return True


def _homeless(carried: Carried) -> ParseError:
    clause = carried.clause
    if isinstance(clause, WindowClause):
        return ParseError(
            "a window stands behind a stream or a query in FROM",
            clause.span,
            hint="as in FROM S [RANGE 5 MINUTES]",
        )
    return ParseError("this clause belongs to nothing before it", clause.span, hint="leave it out")
