"""WITH: queries that a query can name."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from windrow.errors import Refused, Span
from windrow.language.context import Context
from windrow.language.sources import with_column_names


def with_named(tree: exp.Expr, context: Context) -> Context:
    """The context of a query, with what its WITH names; each may name those before it."""
    clause: exp.With | None = tree.args.get("with_")
    if clause is None:
        return context
    for each in clause.expressions:
        if clause.args.get("recursive") or not context.knows(each.alias):
            refuse_recursion(each.alias, each.this, context.place)
        node = with_column_names(context.query(each.this), each.args["alias"], context)
        context = context.with_named(each.alias, node)
    return context


def refuse_recursion(name: str, query: exp.Expr, place: Callable[[exp.Expr], Span]) -> None:
    """Refuse a query that names what it defines."""
    if any(each.alias.lower() == name.lower() for each in query.find_all(exp.CTE)):
        return  # which is another one of that name
    for table in query.find_all(exp.Table):
        if ".".join(part.name for part in table.parts).lower() == name.lower():
            raise Refused(
                f"{name} reads itself, and a query over streams cannot be recursive",
                place(table.this),
                hint="write as many steps as are needed one after another, each with a name of its own",
            )
