"""ORDER BY, LIMIT and OFFSET over windows: which tuples come first, and how an answer is sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from windrow.errors import Refused, StatementError, UnknownName
from windrow.language import engine
from windrow.language.conditions import only_columns
from windrow.language.context import Context, NotIncremental
from windrow.language.duplicates import check_ends
from windrow.language.names import suggest
from windrow.language.projection import Column
from windrow.language.scope import Scope
from windrow.language.stream_order import check_order
from windrow.language.tokens import DIALECT
from windrow.language.types import explained
from windrow.plan.emitting import InOrder
from windrow.plan.grouping import TopK
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern


@dataclass(frozen=True)
class Term:
    """What an ORDER BY sorts by: a column of the result, or one that is computed only to sort by."""

    place: int | None
    """Of the column, from 0."""
    hidden: Column | None
    written: exp.Ordered


@dataclass(frozen=True)
class Ordering:
    """What stands behind a query."""

    tree: exp.Expr
    context: Context
    scope: Scope
    """With the aliases of a SELECT list; without relations behind a set operation."""
    columns: Sequence[Column]
    """Of the result."""

    def terms(self) -> list[Term]:
        """What is sorted by."""
        order: exp.Order | None = self.tree.args.get("order")
        found: list[Term] = []
        for each in order.expressions if order else ():
            if isinstance(each.this, exp.Var) and each.this.name.upper() == "ALL":
                found += [Term(place, None, each) for place in range(len(self.columns))]
            else:
                found.append(self._term(each, f"__order{len(found)}"))
        return found

    def applied(self, node: Node, terms: Sequence[Term]) -> Node:
        """The tuples of a query that count; hidden columns stand behind those of the result."""
        written = [node.schema.names[each.place] if each.place is not None else "" for each in terms]
        names = [
            each.hidden.name if each.hidden else name for each, name in zip(terms, written, strict=True)
        ]
        order = tuple(_by(str(name), each.written) for name, each in zip(names, terms, strict=True))
        shown = [each for each in node.schema.names if each not in names or each in written]
        if self.cuts:
            span = self.scope.place(self.tree.args.get("limit") or self.tree.args["offset"])
            check_ends(
                node, span, "{} has no end, so nobody knows which of its tuples are first", self.context
            )
            ties = [_by(each, exp.Ordered()) for each in shown if each not in names]
            return only_columns(TopK(node, (*order, *ties), self._limit, self._offset), shown)
        return InOrder(node, order) if order and written == names else only_columns(node, shown)

    @property
    def cuts(self) -> bool:
        """Whether only some of the tuples count."""
        return self._limit is not None or self._offset > 0

    @property
    def _limit(self) -> int | None:
        limit = self.tree.args.get("limit")
        if limit is None:
            return None
        options = limit.args.get("limit_options")
        if options is not None and options.args.get("percent"):
            raise NotIncremental("LIMIT with a share")
        return self._count(limit.args["count"] if isinstance(limit, exp.Fetch) else limit.expression)

    @property
    def _offset(self) -> int:
        offset = self.tree.args.get("offset")
        return (self._count(offset.expression) or 0) if offset else 0

    def _count(self, written: exp.Expr) -> int | None:
        """A number of tuples; None: all."""
        if isinstance(written, exp.Var) and written.name.upper() == "ALL":
            return None
        if written.find(exp.Query):
            raise NotIncremental("a query in LIMIT or OFFSET")
        try:
            ((count,),) = engine.rows(f"SELECT CAST({written.sql(DIALECT)} AS BIGINT)")
        except engine.Fault as fault:
            raise explained(fault, self.scope.place(written)) from None
        if isinstance(count, int) and count < 0:
            raise Refused(
                "LIMIT and OFFSET take a number of tuples, and this is negative",
                self.scope.place(written),
                hint="write 0 or more",
            )
        return count if isinstance(count, int) else None

    def _term(self, ordered: exp.Ordered, name: str) -> Term:
        written = ordered.this
        if isinstance(written, exp.Literal) and written.is_int:
            return Term(self._numbered(written), None, ordered)
        if written.find(exp.Query):
            raise NotIncremental("a query in ORDER BY")
        if isinstance(written, exp.Column) and not written.table:
            wanted = written.name.lower()
            named = [
                place for place, each in enumerate(self.columns) if (each.name or "").lower() == wanted
            ]
            if len(named) == 1:
                return Term(named[0], None, ordered)
        if not self.scope.relations:
            raise self._of_no_column(written)
        meaning = self.scope.resolve(written).unnest()
        for place, each in enumerate(self.columns):
            if each.expression == meaning:
                return Term(place, None, ordered)
        if (distinct := self.tree.args.get("distinct")) and not distinct.args.get("on"):
            raise Refused(
                "of duplicates one is left, so what they are sorted by has to be selected",
                self.scope.place(written),
                hint="add it to the SELECT list, or sort by a column that is there",
            )
        return Term(None, Column(meaning, name, written, hidden=True), ordered)

    def _numbered(self, written: exp.Literal) -> int:
        place = int(written.name)
        if not 1 <= place <= len(self.columns):
            raise Refused(
                f"there is no column {place} in the SELECT list",
                self.scope.place(written),
                hint=f"they are numbered from 1 to {len(self.columns)}",
            )
        return place - 1

    def _of_no_column(self, written: exp.Expr) -> UnknownName | Refused:
        if isinstance(written, exp.Column):
            return UnknownName(
                f"there is no column '{written.name}'",
                self.scope.place(written),
                hint=suggest(written.name, [each.name or "" for each in self.columns], "columns are"),
            )
        return Refused(
            "what several queries give together is sorted by its columns",
            self.scope.place(written),
            hint="put the whole into FROM, and sort what is selected from there",
        )


def ordered_whole(tree: exp.Expr, node: Node, context: Context) -> Node:
    """A set operation, or a query in parentheses, with what stands behind it."""
    columns = [Column(exp.column(name, quoted=True), name, tree) for name in node.schema.names]
    ordering = Ordering(tree, context, context.scope(), columns)
    if node.pattern is Pattern.MON and not ordering.cuts:
        if order := tree.args.get("order"):
            check_order(order, node, context.scope(), None)
        return node
    return ordering.applied(node, ordering.terms())


def shown_in_order(tree: exp.Expr, node: Node, context: Context) -> Node:
    """A query that is computed as a whole, shown in its order if that is one of its columns."""
    columns = [Column(exp.column(name, quoted=True), name, tree) for name in node.schema.names]
    unlimited = tree.copy()
    for clause in ("limit", "offset"):
        unlimited.set(clause, None)
    ordering = Ordering(unlimited, context, context.scope(), columns)
    try:
        return ordering.applied(node, ordering.terms())
    except (StatementError, NotIncremental):
        return node


def _by(name: str, written: exp.Ordered) -> exp.Ordered:
    """A column, in the direction of a term."""
    return exp.Ordered(
        this=exp.column(name, quoted=True),
        desc=written.args.get("desc") or None,
        nulls_first=bool(written.args.get("nulls_first")),
    )
