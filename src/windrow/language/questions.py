"""What conditions ask of the results of a query: EXISTS and IN, ANY and ALL, and that not.

A tuple passes if it has a partner among the results, or if it has none. All that can be asked comes down
to these two: x > ALL (…) is true where no result is a partner for which x > … is not true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from windrow.language.conditions import conjunction, conjuncts

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)


@dataclass(frozen=True)
class Question:
    """A condition of WHERE about the results of a query."""

    query: exp.Query
    negated: bool
    """Wanted are the tuples without a partner."""
    compared: tuple[exp.Expr, ...] = ()
    """What compares with the columns of a partner; nothing where any result is one."""
    comparison: type[exp.Binary] = exp.EQ
    inverted: bool = False
    """Partners are the results with which the comparison is false."""

    @property
    def is_not_in(self) -> bool:
        return self.negated and len(self.compared) == 1 and self.comparison is exp.EQ and not self.inverted

    def compare(self, compared: Sequence[exp.Expr], columns: Sequence[exp.Expr]) -> list[exp.Expr]:
        """The comparisons of what is compared with the columns of a result, both resolved."""
        pairs = zip(map(_operand, compared), map(_operand, columns), strict=True)
        return [self.comparison(this=one, expression=other) for one, other in pairs]

    def partners(self, comparisons: list[exp.Expr]) -> list[exp.Expr]:
        """What makes a result a partner, given the comparisons with it. Where the answer is unknown it
        is no partner; but it might be one for all that is known, where partners are not wanted."""
        whole = conjunction(comparisons)
        if whole is None or not (self.negated or self.inverted):
            return comparisons
        if self.inverted:
            whole = exp.Not(this=exp.Paren(this=whole))
        return [exp.Coalesce(this=whole, expressions=[exp.true()]) if self.negated else whole]


def split(condition: exp.Expr) -> tuple[list[exp.Expr], list[Question]]:
    """The conjuncts of a condition that look at a tuple alone, and those that ask a query."""
    plain, questions = [], []
    for part in conjuncts(condition):
        question = _asked(part)
        if question is None:
            plain.append(part)
        else:
            questions.append(question)
    return plain, questions


def _asked(condition: exp.Expr) -> Question | None:
    negated = False
    while isinstance(condition, exp.Paren | exp.Not):
        negated ^= isinstance(condition, exp.Not)
        condition = condition.this
    if isinstance(condition, exp.Exists) and isinstance(condition.this, exp.Query):
        return Question(_bare(condition.this), negated)
    if isinstance(condition, exp.In) and (query := condition.args.get("query")):
        return Question(_bare(query), negated, _items(condition.this))
    if isinstance(condition, _COMPARISONS) and isinstance(condition.expression, exp.Any | exp.All):
        return _quantified(condition, negated)
    return None


def _quantified(condition: exp.Binary, negated: bool) -> Question | None:
    """x = ANY (…) says what IN does, and x <> ALL (…) what NOT IN does."""
    query = condition.expression.this.unnest()
    compared, comparison = _items(condition.this), type(condition)
    of_all = isinstance(condition.expression, exp.All)
    if of_all and comparison is exp.NEQ:
        of_all, negated, comparison = False, not negated, exp.EQ
    if not isinstance(query, exp.Query) or (len(compared) > 1 and comparison is not exp.EQ):
        return None
    return Question(_bare(query), negated ^ of_all, compared, comparison, inverted=of_all)


def _bare(query: exp.Query) -> exp.Query:
    """A query without parentheses that add nothing."""
    while isinstance(query, exp.Subquery) and query.is_wrapper:
        query = query.this
    return query


def _items(compared: exp.Expr) -> tuple[exp.Expr, ...]:
    inner = compared.unnest()
    return tuple(inner.expressions) if isinstance(inner, exp.Tuple) else (compared,)


def _operand(expression: exp.Expr) -> exp.Expr:
    return expression if isinstance(expression, exp.Column | exp.Paren) else exp.Paren(this=expression)
