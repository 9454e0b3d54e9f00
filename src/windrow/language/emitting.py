"""Istream, Dstream, Rstream and Wstream: what is made of an answer; and what INTERNAL makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from windrow.durations import format_duration
from windrow.errors import Refused
from windrow.language.bounds import grows
from windrow.language.context import Context
from windrow.language.statements import OutputClause
from windrow.language.windowing import output_windowed
from windrow.plan.emitting import ToStream, windows_of
from windrow.plan.grouping import GroupBy
from windrow.plan.nodes import Node, Project, Select
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Append, Extent


def emitted(answer: Node, clause: OutputClause, context: Context) -> Node:
    """What the operator around a SELECT list makes of the answer."""
    if clause.window is not None:
        stream = answer if answer.pattern is Pattern.MON else appended(answer)
        return output_windowed(stream, clause.window)
    assert clause.kind != "Wstream"
    if clause.kind == "Dstream" and answer.pattern is Pattern.MON:
        raise Refused(
            "nothing ever leaves this answer, so Dstream would give nothing",
            clause.span,
            hint="give the streams windows that end, as [RANGE 10 MINUTES]",
        )
    if clause.kind == "Rstream" and grows(answer) and not context.allow_unbounded:
        raise Refused(
            "this answer only grows, and Rstream would give all of it at each change",
            clause.span,
            hint="give the streams windows, as [RANGE 10 MINUTES], or SET allow_unbounded = true",
        )
    if clause.restore:
        _check_restored(answer, clause)
    return ToStream(answer, clause.kind, clause.restore)


def appended(answer: Node, lifetimes: Sequence[str] = ()) -> Node:
    """What internal windows make of an answer: its results stay.

    Of groups, every result does that is computed, be it the same as before or not: the last ten sums of a
    minute each are ten, even if they are equal.
    """
    grouped = _grouped(answer)
    if grouped is None:
        return Append(answer, tuple(lifetimes))
    return _replaced(answer, grouped, Append(replace(grouped, repeats=True)))


def _grouped(answer: Node) -> GroupBy | None:
    """The groups that an answer is of, one by one."""
    while isinstance(answer, Project | Select):
        answer = answer.input
    return answer if isinstance(answer, GroupBy) else None


def _replaced(answer: Node, below: Node, other: Node) -> Node:
    if answer is below:
        return other
    return answer.over(*(_replaced(each, below, other) for each in answer.inputs))


def _check_restored(answer: Node, clause: OutputClause) -> None:
    operator = f"{clause.kind}-restore"
    specs = [window.spec for window in windows_of(answer)]
    if any(spec.extent is Extent.COUNT and spec.slide for spec in specs):
        raise Refused(
            f"{operator} tells what came and went between two evaluations, and this query is evaluated"
            " whenever so many tuples have come",
            clause.span,
            hint="let windows slide by a length of time, or leave -restore out",
        )
    slides = list(dict.fromkeys(spec.slide for spec in specs))
    if len(slides) > 1:
        told = " and ".join(
            "not at all" if each is None else f"by {format_duration(each)}" for each in slides
        )
        raise Refused(
            f"the windows of {operator} slide by the same length of time, and these slide {told}",
            clause.span,
            hint="give all of them the same SLIDE",
        )
