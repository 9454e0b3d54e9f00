"""Which declaration covers which aggregate. A new aggregate is a file beside this one and a line here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from windrow.aggregates.asking import asked
from windrow.aggregates.base import Aggregate, Declaration
from windrow.aggregates.calls import take_apart
from windrow.aggregates.counting import count
from windrow.aggregates.extremes import greatest, least
from windrow.aggregates.first_and_last import any_value, first, last
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.parts import Ending
from windrow.aggregates.quantiles import between, one_of
from windrow.aggregates.spreads import spread
from windrow.aggregates.summing import all_true, any_true, average, sum_
from windrow.aggregates.user_defined.calls import following, starting, versions_of
from windrow.aggregates.user_defined.running import running
from windrow.plan.grouping import Frame
from windrow.plan.patterns import Pattern
from windrow.schema import Field, Schema

AGGREGATES: Mapping[str, Declaration] = {
    "any_value": any_value,
    "arbitrary": first,
    "avg": average,
    "bool_and": all_true,
    "bool_or": any_true,
    "count": count,
    "count_if": sum_,
    "countif": sum_,
    "first": first,
    "last": last,
    "max": greatest,
    "mean": average,
    "median": between,
    "min": least,
    "quantile": one_of,
    "quantile_cont": between,
    "quantile_disc": one_of,
    "stddev": spread,
    "stddev_pop": spread,
    "stddev_samp": spread,
    "sum": sum_,
    "var_pop": spread,
    "var_samp": spread,
    "variance": spread,
}
"""By the names that DuckDB has for them. What is not here, and what users define under any name, is
computed from the live tuples."""


def adds_up(calls: Sequence[exp.Expr], names: Sequence[Field], input_: Schema) -> bool:
    """Whether all calls follow from what is known of cells, without their tuples."""
    ledger = Ledger(input_, Ending.PANES)
    for tree, field in zip(calls, names, strict=True):
        call = take_apart(tree)
        if versions_of(tree) or call.name not in AGGREGATES:
            return False
        if AGGREGATES[call.name](call, field, ledger) is None:
            return False
    return ledger.adds_up


def aggregate_of(
    tree: exp.Expr,
    field: Field,
    ledger: Ledger,
    *,
    frame: Frame | None = None,
    pattern: Pattern | None = None,
) -> Aggregate:
    """What runs a call: over frames, or over tuples that end by a pattern, whose values are compared with
    those before."""
    if pattern is not None and (followed := following(tree, pattern)) is not None:
        return running(tree, followed, ledger, compares=True)
    if frame is not None and (started := starting(tree, frame)) is not None:
        return running(tree, started, ledger, restarts=frame.tumbles)
    call = take_apart(tree)
    declared = None if versions_of(tree) else AGGREGATES.get(call.name)
    aggregate = declared(call, field, ledger) if declared else None
    return aggregate or asked(call, field, ledger)
