"""A call of an aggregate of the user's own in a plan: which tuples it takes, and what of them.

The binder leaves the versions of the aggregate in the function's `meta["aggregate"]`, the base version
before the window version.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from sqlglot import exp

from windrow.aggregates.user_defined.machine import Ints
from windrow.buffers.keys import KeyCodes
from windrow.buffers.parts import State
from windrow.catalog import Aggregate
from windrow.expressions.evaluator import Evaluator
from windrow.expressions.failures import Failures
from windrow.plan.grouping import Frame
from windrow.plan.patterns import Pattern
from windrow.schema import Field, Schema

_GROUP = "__group"


def versions_of(call: exp.Expr) -> tuple[Aggregate, ...]:
    """The versions of the aggregate that is called; none of one of DuckDB's."""
    found: tuple[Aggregate, ...] = _function(call).meta.get("aggregate", ())
    return found


def version(call: exp.Expr, *, window: bool) -> Aggregate | None:
    """The base version, or the window version, of the aggregate that is called."""
    return next((each for each in versions_of(call) if each.window == window), None)


def following(call: exp.Expr, pattern: Pattern) -> Aggregate | None:
    """The version that follows the tuples of groups one by one and is asked for its result at any time: of
    tuples that never end the base version, of those that end in order the window version. None where
    there is none such, and the base version has to be computed anew."""
    if pattern not in (Pattern.MON, Pattern.WKS):
        return None
    is_window = pattern is Pattern.WKS
    found = version(call, window=is_window)
    if found is None or not found.blocking or (is_window and call.find(exp.Distinct)):
        return None
    return found


def starting(call: exp.Expr, frame: Frame) -> Aggregate | None:
    """The base version, where it goes through a frame from its beginning: of all tuples so far, or of
    frames that share no tuples."""
    found = version(call, window=False)
    if frame.preceding is None or found is None:
        return found
    return found if frame.tumbles and found.blocking and not call.find(exp.Distinct) else None


@dataclass(frozen=True, slots=True)
class Taken:
    """What a call takes of a batch."""

    rows: Ints
    """The tuples, by their places in the batch, rising."""
    arguments: pa.Table
    failures: Failures | None


class Arguments:
    """The arguments of a call, which is over columns and literals: cast to what the aggregate takes, and
    of the tuples alone that pass its FILTER, and of a DISTINCT the first of equals in each group."""

    def __init__(self, call: exp.Expr, aggregate: Aggregate, input_: Schema) -> None:
        condition = call.expression.this if isinstance(call, exp.Filter) else None
        function = _function(call)
        given = function.expressions
        self._seen: KeyCodes | None = None
        if given and isinstance(given[0], exp.Distinct):
            given = given[0].expressions
            group = Field(_GROUP, "BIGINT")
            self._seen = KeyCodes(Schema((group, *aggregate.parameters)))
        self._evaluator = Evaluator(input_, condition, given, aggregate.parameters)

    def of(self, rows: pa.Table, groups: Ints) -> Taken:
        evaluated = self._evaluator.evaluate(rows)
        kept = np.arange(len(rows)) if evaluated.kept is None else evaluated.kept
        taken = Taken(kept, evaluated.table, evaluated.failures)
        return taken if self._seen is None else _without_known(taken, groups, self._seen)

    def save(self) -> State:
        return {} if self._seen is None else self._seen.save()

    def restore(self, state: State) -> None:
        if self._seen is not None:
            self._seen.restore(state)


def _function(call: exp.Expr) -> exp.Expr:
    function: exp.Expr = call.this if isinstance(call, exp.Filter) else call
    return function


def _without_known(taken: Taken, groups: Ints, seen: KeyCodes) -> Taken:
    """The tuples whose arguments have not been seen in their group."""
    known = len(seen)
    keyed = taken.arguments.append_column(_GROUP, pa.array(groups[taken.rows]))
    codes = seen.codes(keyed)
    _, first = np.unique(codes, return_index=True)
    new = np.sort(first[codes[first] >= known])
    return Taken(taken.rows[new], taken.arguments.take(new), taken.failures)
