"""EXISTS, IN and their like in WHERE: half joins of what FROM holds with the results of other queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlglot import exp

from windrow.errors import Refused, TypeMismatch, UnknownName
from windrow.language.aggregates import calls_in
from windrow.language.conditions import columns_of, conjunction, conjuncts
from windrow.language.context import Context, Names, NotIncremental
from windrow.language.from_clause import FromClause
from windrow.language.joining import Joiner
from windrow.language.names import counted
from windrow.language.predicates import typed_condition
from windrow.language.projection import Projection
from windrow.language.questions import Question, split
from windrow.language.scalars import check_scalar
from windrow.language.scope import Relation, Scope
from windrow.language.sources import Factor, Sources, under_names
from windrow.language.statements import OutputClause
from windrow.language.types import common_type, type_scalars
from windrow.schema import Field, Schema

_WITHOUT_EFFECT = frozenset({"distinct", "order"})
"""Whether there are several equal results, or in what order they come, is not asked."""
_SIMPLE = frozenset({"expressions", "from_", "joins", "where", "kind"}) | _WITHOUT_EFFECT


@dataclass(frozen=True)
class _Results:
    """The results of a query that is asked."""

    factor: Factor
    columns: tuple[exp.Expr, ...]
    """Its SELECT list, over the factor's columns and those around it."""
    correlated: list[exp.Expr] = field(default_factory=list)
    """The conditions of its WHERE that name columns of the query around it."""


@dataclass(frozen=True)
class HalfJoins:
    """Binds the questions of a WHERE, and those within them."""

    context: Context
    names: Names

    def read(
        self, condition: exp.Expr, scope: Scope, columns: Iterable[Field]
    ) -> tuple[list[exp.Expr], list[Question]]:
        """The conditions of a WHERE on the columns alone, resolved, and its questions."""
        plain, questions = split(condition)
        whole = conjunction(plain) if questions else condition
        return ([] if whole is None else conjuncts(self._condition(whole, scope, columns))), questions

    def ask(self, left: Factor, questions: Iterable[Question], scope: Scope) -> Factor:
        """The tuples of a factor that pass all questions, those of NRRs first: nobody could take back what
        has met one. `scope` has what they can name."""
        found = [(question, self._results(question.query, left, scope)) for question in questions]
        for question, results in sorted(found, key=lambda each: not each[1].factor.is_nrr):
            left = self._asked(left, question, results, scope)
        return left

    def _asked(self, left: Factor, question: Question, results: _Results, scope: Scope) -> Factor:
        joiner = Joiner(self.context, self.names)
        if not question.compared:
            return joiner.half(left, results.factor, results.correlated, question.negated)
        comparisons = self._comparisons(question, results, left, scope)
        if question.is_not_in and joiner.is_key(left, results.factor, comparisons[0]):
            return joiner.not_in(left, results.factor, [*comparisons, *results.correlated])
        conditions = [*question.partners(comparisons), *results.correlated]
        return joiner.half(left, results.factor, conditions, question.negated)

    def _results(self, query: exp.Query, left: Factor, around: Scope) -> _Results:
        if isinstance(query, exp.Select) and self._is_simple(query):
            return self._simple(query, left, around)
        try:
            node = self.context.query(query)
        except UnknownName as error:
            if not any(map(around.knows, query.find_all(exp.Column))):
                raise
            raise NotIncremental("a grouped query in WHERE that names columns around it") from error
        node = under_names(node, [self.names.fresh(name) for name in node.schema.names])
        factor = Factor(node, (Relation("", node.schema),), self.context.place(query))
        return _Results(factor, tuple(exp.column(name, quoted=True) for name in node.schema.names))

    def _is_simple(self, select: exp.Select) -> bool:
        """Whether its results are tuples of its FROM, one by one."""
        clauses = {name for name, value in select.args.items() if value}
        if not clauses <= _SIMPLE or "from_" not in clauses or not _is_answer(select):
            return False
        return not any(
            each.find(exp.Window) or any(calls_in(each, self.context)) for each in select.expressions
        )

    def _simple(self, select: exp.Select, left: Factor, around: Scope) -> _Results:
        joiner = Joiner(self.context, self.names)
        group = FromClause(self.context, Sources(self.context, self.names, False), joiner).read(select)
        scope = self.context.scope(*group.relations, outer=around)
        own = [each for factor in group.factors for each in factor.node.schema]
        known = (*own, *left.node.schema)
        conditions: list[exp.Expr] = []
        questions: list[Question] = []
        if where := select.args.get("where"):
            conditions, questions = self.read(where.this, scope, known)
        names = {each.name for each in own}
        correlated = [each for each in conditions if not columns_of(each) <= names]
        group.conditions += [each for each in conditions if columns_of(each) <= names]
        columns = Projection(scope).read(select.expressions).columns
        for each in columns:
            check_scalar(each.expression, scope)
        listed = tuple(_over(each.expression, known) for each in columns)
        factor = self.ask(joiner.build(group), questions, scope)
        return _Results(factor, listed, correlated)

    def _comparisons(
        self, question: Question, results: _Results, left: Factor, scope: Scope
    ) -> list[exp.Expr]:
        """What is compared, with the columns of a result."""
        wanted, given = len(question.compared), len(results.columns)
        if wanted != given:
            raise Refused(
                f"this query gives {counted(given, 'column')}, to compare with {counted(wanted, 'value')}",
                self.context.place(question.query),
                hint="compare as many values as it gives",
            )
        known = Schema((*left.node.schema, *results.factor.node.schema))
        compared = [self._scalar(each, scope, left.node.schema) for each in question.compared]
        for one, other, written in zip(compared, results.columns, question.compared, strict=True):
            types = tuple(each.type for each in type_scalars([one, other], known, self.context.place))
            if ("VARCHAR" in types and len(set(types)) > 1) or common_type(types) is None:
                raise TypeMismatch(
                    f"nothing compares {types[0]} with {types[1]}",
                    self.context.place(written),
                    hint="CAST one to the type of the other",
                )
        return question.compare(compared, results.columns)

    def _condition(self, written: exp.Expr, scope: Scope, columns: Iterable[Field]) -> exp.Expr:
        predicate = self._scalar(written, scope, columns := tuple(columns))
        return typed_condition(predicate, written, scope, columns, "WHERE")

    def _scalar(self, written: exp.Expr, scope: Scope, columns: Iterable[Field]) -> exp.Expr:
        if written.find(exp.Query):
            raise NotIncremental("a query in WHERE under OR or within an expression")
        check_scalar(written, scope)
        resolved = scope.resolve(written)
        check_scalar(resolved, scope)
        return _over(resolved, columns)


def _is_answer(select: exp.Select) -> bool:
    """Whether it says no output but Rstream: the answer as it is, which is what is asked anyway."""
    output: OutputClause | None = select.meta.get("output")
    return output is None or (output.kind == "Rstream" and not output.restore)


def _over(expression: exp.Expr, columns: Iterable[Field]) -> exp.Expr:
    """A resolved expression, of which all names are among these columns."""
    if not columns_of(expression) <= {each.name for each in columns}:
        raise NotIncremental("a query in WHERE that names columns from two levels around it")
    return expression
