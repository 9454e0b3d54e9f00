"""What share of tuples a predicate is true of, by the usual guesses: values are equally frequent, and
columns have nothing to do with each other."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sqlglot import exp

from windrow.plan.statistics import VALUES

Values = Mapping[str, float]
"""How many different values columns have; names in small letters."""

UNKNOWN = 1 / 3
"""Of what nothing is known of."""
RARE = 0.05


def selectivity(predicate: exp.Expr, values: Values) -> float:
    """Between 0 and 1."""
    found = predicate.unnest()
    if isinstance(found, exp.And):
        return math.prod(selectivity(each, values) for each in found.flatten())
    if isinstance(found, exp.Or):
        return 1 - math.prod(1 - selectivity(each, values) for each in found.flatten())
    if isinstance(found, exp.Not):
        return 1 - selectivity(found.this, values)
    if isinstance(found, exp.Boolean):
        return float(found.this)
    return _simple(found, values)


def fixed(predicate: exp.Expr) -> frozenset[str]:
    """The columns, in small letters, that have one value where a predicate is true."""
    found = predicate.unnest()
    if isinstance(found, exp.And):
        return frozenset[str]().union(*map(fixed, found.flatten()))
    if not isinstance(found, exp.EQ):
        return frozenset()
    sides = found.left.unnest(), found.right.unnest()
    one = [side for side in sides if isinstance(side, exp.Column)]
    return frozenset(side.name.lower() for side in one) if len(one) == 1 else frozenset()


def _simple(found: exp.Expr, values: Values) -> float:
    if isinstance(found, exp.EQ | exp.NullSafeEQ):
        return _equal(found, values)
    if isinstance(found, exp.NEQ | exp.NullSafeNEQ):
        return 1 - _equal(found, values)
    if isinstance(found, exp.In) and found.expressions:
        return min(1.0, len(found.expressions) / varied(found.this, values))
    if isinstance(found, exp.Is):
        return RARE
    return UNKNOWN


def _equal(found: exp.Binary, values: Values) -> float:
    return 1 / max(varied(found.left, values), varied(found.right, values))


def varied(expression: exp.Expr, values: Values) -> float:
    """How many different values an expression has: as many as its columns, unless it says less."""
    named = {column.name.lower() for column in expression.find_all(exp.Column)}
    most = max((values.get(name, VALUES) for name in named), default=1.0)
    found = expression.unnest()
    if isinstance(found, exp.Predicate | exp.Connector | exp.Not):
        return min(most, 2.0)
    if isinstance(found, exp.Mod) and found.expression.is_int:
        return min(most, float(abs(int(found.expression.name)) or 1))
    return most
