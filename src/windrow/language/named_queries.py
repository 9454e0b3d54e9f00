"""WITH: queries that a query can name."""

from __future__ import annotations

from sqlglot import exp

from windrow.errors import Refused
from windrow.language.context import Context
from windrow.language.sources import with_column_names


def with_named(tree: exp.Expr, context: Context) -> Context:
    """The context of a query, with what its WITH names; each may name those before it."""
    clause: exp.With | None = tree.args.get("with_")
    if clause is None:
        return context
    for each in clause.expressions:
        if clause.args.get("recursive"):
            _check_recursion(each, context)
        node = with_column_names(context.query(each.this), each.args["alias"], context)
        context = context.with_named(each.alias, node)
    return context


def _check_recursion(query: exp.CTE, context: Context) -> None:
    for table in query.this.find_all(exp.Table):
        if table.name.lower() == query.alias.lower():
            raise Refused(
                f"{query.alias} reads itself, and a query over streams cannot be recursive",
                context.place(table.this),
                hint="write as many steps as are needed one after another, each with a name of its own",
            )
