"""Predicates taken apart at their ANDs, and put together again."""

from __future__ import annotations

from sqlglot import exp


def conjuncts(predicate: exp.Expr) -> tuple[exp.Expr, ...]:
    """The parts that all have to be true, in the order in which they are written."""
    inner = predicate.unnest()
    if isinstance(inner, exp.And):
        return tuple(part for each in inner.flatten(unnest=False) for part in conjuncts(each))
    return (predicate,)


def anded(*predicates: exp.Expr) -> exp.Expr:
    """The predicate that is true where all of these are."""
    return predicates[0] if len(predicates) == 1 else exp.and_(*predicates)
