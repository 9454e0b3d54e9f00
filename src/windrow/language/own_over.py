"""Aggregates of one's own under OVER: which version serves which frame.

A frame that ends is followed by the window version, which says itself when it gives rows; where there is
none, the base version is computed anew from the tuples of the frame, and gives one value a tuple. A frame
without a beginning is followed by the base version, step by step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from windrow.errors import Refused
from windrow.language.aggregates import Call
from windrow.language.context import Names
from windrow.language.projection import Column
from windrow.language.scope import Scope
from windrow.plan.grouping import Frame, Over
from windrow.plan.nodes import Node, Project
from windrow.plan.windows import Extent
from windrow.schema import Field, Schema


def is_told(call: Call, frame: Frame) -> bool:
    """Whether a window version says itself when it gives rows."""
    if frame.preceding is None or _is_distinct(call) or (frame.tumbles and _base(call)):
        return False
    return _has(call, window=True)


def has_panes(call: Call, frame: Frame) -> bool:
    """Whether the frames of an aggregate are made of panes as long as the slide: it is ALGEBRAIC, so what
    it is over panes can be fed into it."""
    if frame.extent is Extent.TIME or frame.preceding is None or frame.slide is None or frame.tumbles:
        return False
    plain = not _is_distinct(call) and not isinstance(call.tree, exp.Filter)
    return plain and _base(call) and any(each.algebraic for each in call.versions)


def in_panes(input_: Node, calls: Sequence[Call], over: Over, names: Names) -> Node:
    """A step over frames as two: the base version on each pane, and what that gives into the whole."""
    size, slide = over.frame.preceding, over.frame.slide
    assert size is not None
    assert slide is not None
    base = [_with_versions(tree, call, window=False) for tree, call in zip(over.calls, calls, strict=True)]
    parts = tuple(Field(names.fresh(f"{each.name} of a pane"), each.type) for each in over.names)
    tumbles = Frame(Extent.COUNT, slide - 1, slide)
    panes = Over(input_, tuple(base), parts, over.partition, tumbles)
    fed: Node = panes
    arguments: list[list[exp.Expr]] = []
    computed: list[tuple[exp.Expr, Field]] = []
    for part, call in zip(parts, calls, strict=True):
        value = exp.column(part.name, quoted=True)
        returns = call.versions[0].returns
        if len(returns) == 1:
            arguments.append([value])
            continue
        fields = [Field(names.fresh(f"{part.name} {each.name}"), each.type) for each in returns]
        names_of = [exp.to_identifier(each.name, quoted=True) for each in returns]
        dots = [exp.Dot(this=value.copy(), expression=each) for each in names_of]
        computed += zip(dots, fields, strict=True)
        arguments.append([exp.column(field.name, quoted=True) for field in fields])
    if computed:
        kept = [exp.column(each.name, quoted=True) for each in panes.schema]
        schema = Schema((*panes.schema, *(field for _, field in computed)))
        fed = Project(panes, (*kept, *(each for each, _ in computed)), schema)
    trees = []
    for tree, given in zip(over.calls, arguments, strict=True):
        whole_call = tree.copy()
        whole_call.set("expressions", given)
        trees.append(whole_call)
    whole = Frame(Extent.COUNT, (size + 1) // slide - 1)
    return Over(fed, tuple(trees), over.names, over.partition, whole, over.own)


def _with_versions(tree: exp.Expr, call: Call, *, window: bool) -> exp.Expr:
    """A call that knows only some of the versions."""
    copied = tree.copy()
    copied.meta["aggregate"] = tuple(each for each in call.versions if each.window == window)
    return copied


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


def _base(call: Call) -> bool:
    """Whether there is a base version that answers at the end."""
    return any(not each.window and each.blocking for each in call.versions)


def _has(call: Call, *, window: bool) -> bool:
    return any(each.window == window for each in call.versions)


def _is_distinct(call: Call) -> bool:
    return call.tree.find(exp.Distinct) is not None
