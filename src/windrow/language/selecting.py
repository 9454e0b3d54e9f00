"""One SELECT: FROM and WHERE, groups, the SELECT list, and what is made of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from windrow.errors import Refused, StatementError, UnknownName
from windrow.language.context import Context, Names, NotIncremental
from windrow.language.duplicates import without_duplicates
from windrow.language.emitting import appended, emitted
from windrow.language.from_clause import FromClause
from windrow.language.grouping import Grouping, is_grouped
from windrow.language.half_joins import HalfJoins
from windrow.language.joining import Joiner
from windrow.language.nested_output import with_nested_output
from windrow.language.ordering import Ordering
from windrow.language.over import Overs, has_over
from windrow.language.projection import Column, Projection, project
from windrow.language.questions import Question
from windrow.language.reevaluation import reevaluated
from windrow.language.refusals import refuse_clauses
from windrow.language.scalars import NotScalar
from windrow.language.scope import Scope
from windrow.language.sources import Factor, Sources, relation_trees
from windrow.language.statements import OutputClause
from windrow.language.stream_order import check_order
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern


def bind_select(select: exp.Select, context: Context) -> Node:
    """The plan of a SELECT."""
    select = with_nested_output(select, context)
    clause: OutputClause | None = select.meta.get("output")
    answer = _answer(select, context)
    return answer if clause is None else emitted(answer, clause, context)


def _answer(select: exp.Select, context: Context) -> Node:
    """What is selected, computed step by step or, where there are no steps for it, asked again."""
    try:
        refuse_clauses(select, context.scope())
        return _Select(select, context).bind()
    except NotIncremental as reason:
        return reevaluated(select, context, str(reason))
    except NotScalar as refusal:
        return reevaluated(select, context, refusal.reason, refusal)
    except UnknownName as unknown:
        if not _may_look_aside(select):
            raise
        try:
            return reevaluated(select, context, "a query in FROM that names columns beside it")
        except StatementError:
            raise unknown from None


def _may_look_aside(select: exp.Select) -> bool:
    """Whether a query in FROM stands behind something whose columns it might name."""
    return any(isinstance(join.this, exp.Subquery) for join in select.args.get("joins") or ())


@dataclass(frozen=True)
class _Select:
    """Binds the parts of one SELECT, each over the plan of those before it."""

    select: exp.Select
    context: Context
    names: Names = field(default_factory=Names)

    def bind(self) -> Node:
        from_ = self.select.args.get("from_")
        if from_ is None:
            raise NotScalar(
                "a query without FROM",
                "a query reads a stream, and this one has no FROM",
                self.context.place(self.select),
                hint="name a stream in FROM",
            )
        internal = self._has_internal()
        sources = Sources(self.context, self.names, internal)
        joiner = Joiner(self.context, self.names)
        group = FromClause(self.context, sources, joiner).read(self.select)
        scope = self.context.scope(*group.relations)
        projection = Projection(scope).read(self.select.expressions)
        named = replace(scope, aliases=projection.aliases)
        half_joins = HalfJoins(self.context, self.names)
        questions: list[Question] = []
        if where := self.select.args.get("where"):
            columns = [each for factor in group.factors for each in factor.node.schema]
            conditions, questions = half_joins.read(where.this, named, columns)
            group.conditions += conditions
        factor = half_joins.ask(joiner.build(group), questions, named)
        projected = self._projected(factor, projection, named, sources.ends)
        return appended(projected, sources.ends) if internal else projected

    def _projected(self, factor: Factor, projection: Projection, scope: Scope, kept: Sequence[str]) -> Node:
        """What is selected, in the order and number that is asked for."""
        ordering = Ordering(self.select, self.context, scope, projection.columns)
        terms = ordering.terms()
        hidden = [term.hidden for term in terms if term.hidden is not None]
        node, columns = self._grouped(factor, projection, scope, hidden)
        if kept and node is not factor.node:
            raise Refused(
                "beside INTERNAL windows, nobody can foresee how long the results of groups last",
                self.context.place(self.select.args.get("group") or self.select),
                hint="make all windows INTERNAL, or none",
            )
        sorts = node.pattern is not Pattern.MON or ordering.cuts
        shown = columns if sorts else columns[: len(columns) - len(hidden)]
        projected = project(node, shown, scope, kept)
        projected = without_duplicates(projected, self.select, self._has_internal(), self.context)
        if sorts:
            return ordering.applied(projected, terms)
        if order := self.select.args.get("order"):
            check_order(order, projected, scope, node)
        return projected

    def _has_internal(self) -> bool:
        trees = [
            self.select.args["from_"].this,
            *(each.this for each in self.select.args.get("joins") or ()),
        ]
        windows = (each.meta.get("window") for tree in trees for each in relation_trees(tree))
        return any(window is not None and window.internal for window in windows)

    def _over(self, factor: Factor, columns: Sequence[Column], scope: Scope) -> tuple[Node, list[Column]]:
        if is_grouped(self.select, columns, self.context):
            raise NotScalar(
                "OVER of groups",
                "OVER is of tuples as they come, and here they are grouped",
                self.context.place(self.select),
                hint="group in a query in FROM, or write OVER for each aggregate",
            )
        overs = Overs(self.context, self.names, scope, factor.name)
        return overs.above(factor.node, columns)

    def _grouped(
        self, factor: Factor, projection: Projection, scope: Scope, hidden: list[Column]
    ) -> tuple[Node, list[Column]]:
        """What is selected from, groups being made; the columns of the result, and hidden ones, over it."""
        columns = [*projection.columns, *hidden]
        if has_over(columns):
            return self._over(factor, columns, scope)
        if not is_grouped(self.select, columns, self.context):
            return factor.node, columns
        grouping = Grouping(self.select, self.context, self.names, scope, factor.name)
        return grouping.group(factor.node, projection, hidden)
