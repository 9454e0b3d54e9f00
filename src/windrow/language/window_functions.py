"""Functions that SQL has for OVER alone, in terms of aggregates over frames; and those that look ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sqlglot import exp

from windrow.errors import Refused
from windrow.language import engine
from windrow.language.scalars import function_names
from windrow.language.scope import Scope
from windrow.plan.grouping import Frame
from windrow.plan.windows import Extent

Asking: TypeAlias = Callable[..., exp.Expr]
"""Of an aggregate, and a frame where it is not that of OVER: what stands for the result."""

_AHEAD = "{}() depends on tuples that have not come yet"
_REFUSED = {
    "lead": (_AHEAD, "lag(x) looks back"),
    "ntile": (_AHEAD, "row_number() numbers the tuples as they come"),
    "percent_rank": (_AHEAD, "row_number() numbers the tuples as they come"),
    "cume_dist": (_AHEAD, "row_number() numbers the tuples as they come"),
    "fill": (_AHEAD, "last_value(x IGNORE NULLS) gives the last value that was there"),
    "nth_value": ("{}() is not computed over streams", "array_agg(x) OVER (…)[2] gives the second value"),
}
_RANKS = ("ranks by the timestamp are not computed", "row_number() numbers the tuples as they come")


def is_of_over(call: exp.Expr, scope: Scope) -> bool:
    """Whether a call is of a function that SQL has for OVER alone."""
    return bool(_names(_function(call), scope))


def meaning_of(call: exp.Expr, frame: Frame | None, over: Asking, scope: Scope) -> exp.Expr | None:
    """What a function of OVER alone means, where `over` stands for aggregates; None for an aggregate."""
    function = _function(call)
    names = _names(function, scope)
    if not names:
        return None
    name = min(names)
    if name in ("first_value", "last_value"):
        return over(_end_of_frame(call, function))
    if isinstance(function, exp.RowNumber | exp.Lag):
        return _looking_back(call, function, frame, over, scope)
    message, hint = _REFUSED.get(name, _RANKS)
    raise Refused(message.format(name), scope.place(call), hint=hint)


def _function(call: exp.Expr) -> exp.Expr:
    """The function within FILTER and the like."""
    while isinstance(call, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        call = call.this
    return call


def _names(function: exp.Expr, scope: Scope) -> frozenset[str]:
    """What a function of OVER alone is called; nothing where it is no such."""
    if not isinstance(function, exp.Func):
        return frozenset()
    return engine.functions("window") & function_names(function, scope)


def _end_of_frame(call: exp.Expr, function: exp.Expr) -> exp.Expr:
    """first_value and last_value as aggregates. Aggregates heed NULLs by a condition."""
    value = function.this
    kind = exp.First if isinstance(function, exp.FirstValue) else exp.Last
    conditions = [call.expression.this] if isinstance(call, exp.Filter) else []
    if call.find(exp.IgnoreNulls):
        conditions.append(exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null())))
    aggregate: exp.Expr = kind(this=value.copy())
    if conditions:
        condition = exp.and_(*(each.copy() for each in conditions))
        aggregate = exp.Filter(this=aggregate, expression=exp.Where(this=condition))
    return aggregate


def _looking_back(
    call: exp.Expr, function: exp.RowNumber | exp.Lag, frame: Frame | None, over: Asking, scope: Scope
) -> exp.Expr:
    """row_number and lag, which go by arrival whatever the frame."""
    if frame is not None and (frame.slide or frame.active):
        raise Refused(
            "SLIDE and ACTIVE EXPIRATION are of aggregates, and this function has no frame",
            scope.place(call),
            hint="leave the frame out",
        )
    if call is not function:
        raise Refused(
            "FILTER and IGNORE NULLS are of aggregates, and this function counts all tuples",
            scope.place(call),
            hint="choose the tuples in a query in FROM",
        )
    number = exp.Count(this=exp.Star(), big_int=True)
    if isinstance(function, exp.RowNumber):
        return over(number, Frame(Extent.COUNT, None))
    back = Frame(Extent.COUNT, _steps(function, scope))
    there = exp.GT(this=over(number, back), expression=exp.Literal.number(back.preceding))
    value = over(exp.First(this=function.this.copy()), back)
    default = function.args.get("default")
    return exp.Case(ifs=[exp.If(this=there, true=value)], default=default and default.copy())


def _steps(function: exp.Lag, scope: Scope) -> int:
    offset = function.args.get("offset")
    if offset is None:
        return 1
    if not isinstance(offset, exp.Literal) or not offset.is_int or int(offset.name) < 0:
        raise Refused(
            "lag() takes a number of tuples to look back", scope.place(offset), hint="as in lag(x, 2)"
        )
    return int(offset.name)
