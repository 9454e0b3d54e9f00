"""Aggregates of one's own under OVER: which version serves which frame.

A frame that ends is followed by the window version, which says itself when it gives rows; where there is
none, the base version is computed anew from the tuples of the frame, and gives one value a tuple. A frame
without a beginning is followed by the base version, step by step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from windrow.errors import Refused
from windrow.language.aggregates import Call
from windrow.language.projection import Column
from windrow.language.scope import Scope
from windrow.plan.grouping import Frame


def is_told(call: Call, frame: Frame) -> bool:
    """Whether a window version says itself when it gives rows."""
    return frame.preceding is not None and not _is_distinct(call) and _has(call, window=True)


def check_versions(call: Call, frame: Frame, scope: Scope) -> None:
    """Refuse a call of an aggregate without the version that it needs."""
    if not call.versions or is_told(call, frame) or _has(call, window=False):
        return
    reason = "DISTINCT" if _is_distinct(call) else "a frame without a beginning"
    raise Refused(
        f"{call.name} is a WINDOW AGGREGATE alone, and {reason} needs its base version",
        scope.place(call.tree),
        hint=f"CREATE AGGREGATE {call.name} as well, with its result in TERMINATE",
    )


def spread(column: Column, calls: Mapping[int, Call]) -> Iterator[Column]:
    """A column of the SELECT list; of an aggregate that returns several columns, all of these."""
    call = calls.get(id(column.expression))
    if call is None or not call.versions or len(call.versions[0].returns) == 1:
        yield column
        return
    for each in call.versions[0].returns:
        field = exp.to_identifier(each.name, quoted=True)
        value = exp.Dot(this=column.expression.copy(), expression=field)
        yield replace(column, expression=value, name=each.name)


def _has(call: Call, *, window: bool) -> bool:
    return any(each.window == window for each in call.versions)


def _is_distinct(call: Call) -> bool:
    return call.tree.find(exp.Distinct) is not None
