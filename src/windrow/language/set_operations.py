"""UNION, INTERSECT and EXCEPT, with and without ALL: a chain from the left, in which INTERSECT binds
tighter (sqlglot's trees say so already).
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from windrow.language.context import Context
from windrow.language.duplicates import check_ends, union_distinct
from windrow.language.refusals import refuse_clauses
from windrow.language.unions import Branch, alike, merge
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Node


def bind_set_operation(tree: exp.SetOperation, context: Context) -> Node:
    """The plan of a chain of set operations."""
    operations: list[exp.SetOperation] = []
    left: exp.Expr = tree
    while isinstance(left, exp.SetOperation):
        refuse_clauses(left, context.scope())
        operations.append(left)
        left = left.this
    united, united_by = [_branch(left, context)], list[exp.SetOperation]()
    for operation in reversed(operations):
        right = _branch(operation.expression, context)
        if isinstance(operation, exp.Union):
            united.append(right)
            united_by.append(operation)
            continue
        first = Branch(_union(united, united_by, context), united[0].span)
        united, united_by = [Branch(_counted(first, right, operation, context), first.span)], []
    return _union(united, united_by, context)


def _branch(tree: exp.Expr, context: Context) -> Branch:
    return Branch(context.query(tree), context.place(tree))


def _union(branches: Sequence[Branch], operations: Sequence[exp.SetOperation], context: Context) -> Node:
    """Branches united from the left. The last UNION without ALL covers all that is before it."""
    distinct = [place for place, each in enumerate(operations, 1) if each.args.get("distinct")]
    if distinct:
        covered = distinct[-1] + 1
        node = union_distinct(branches[:covered], branches[distinct[-1]].span, context)
        branches = [Branch(node, branches[0].span), *branches[covered:]]
    return merge(branches, "UNION") if len(branches) > 1 else branches[0].node


def _counted(left: Branch, right: Branch, operation: exp.SetOperation, context: Context) -> Node:
    kind, word = (Except, "EXCEPT") if isinstance(operation, exp.Except) else (Intersect, "INTERSECT")
    for branch in (left, right):
        sentence = f"{word} needs to know the end of its inputs, and {{}} has none"
        check_ends(branch.node, branch.span, sentence, context)
    first, second = alike([left, right], word)
    return kind(first, second, bool(operation.args.get("distinct")))
