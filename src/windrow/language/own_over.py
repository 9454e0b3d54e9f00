"""Aggregates of one's own under OVER: which version serves which frame.

A frame that ends is followed by the window version, which says itself when it gives rows; where there is
none, the base version is computed anew from the tuples of the frame, and gives one value a tuple. A frame
without a beginning is followed by the base version, step by step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from windrow.catalog import Aggregate
from windrow.errors import Refused
from windrow.language.aggregates import Call, value_type
from windrow.language.context import Names
from windrow.language.panes import Shares, of_panes
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


def shares_in_panes(calls: Sequence[Call], frame: Frame) -> list[Shares] | None:
    """What serves panes as long as the slide, and what takes these in, for each call over a frame; None if
    its frames are not made of panes."""
    if frame.extent is Extent.TIME or frame.preceding is None or frame.slide in (None, 1) or frame.tumbles:
        return None
    found = [
        None if _is_distinct(call) or isinstance(call.tree, exp.Filter) else of_panes(call.versions)
        for call in calls
    ]
    shares = [each for each in found if each is not None]
    told = {any(each.window for each in whole) for _, whole in shares}
    return shares if len(shares) == len(calls) and len(told) == 1 else None


def in_panes(input_: Node, shares: Sequence[Shares], over: Over, names: Names) -> Node:
    """A step over frames as two: a version for each pane, and others for what these give."""
    size, slide = over.frame.preceding, over.frame.slide
    assert size is not None
    assert slide is not None
    parts = tuple(
        Field(names.fresh(f"{each.name} of a pane"), value_type(pane[0].returns))
        for each, (pane, _) in zip(over.names, shares, strict=True)
    )
    base = [_served_by(tree, pane) for tree, (pane, _) in zip(over.calls, shares, strict=True)]
    panes = Over(input_, tuple(base), parts, over.partition, Frame(Extent.COUNT, slide - 1, slide))
    fed, arguments = _fields(panes, parts, [pane[0].returns for pane, _ in shares], names)
    trees = []
    for tree, (_, whole), given in zip(over.calls, shares, arguments, strict=True):
        call = _served_by(tree, whole)
        call.set("expressions", given)
        trees.append(call)
    frame = Frame(Extent.COUNT, (size + 1) // slide - 1)
    own = any(each.window for _, whole in shares for each in whole)
    return Over(fed, tuple(trees), over.names, over.partition, frame, own)


def _fields(
    panes: Over, parts: Sequence[Field], returns: Sequence[Schema], names: Names
) -> tuple[Node, list[list[exp.Expr]]]:
    """What panes give, with the fields of structs as columns, and the columns of each part."""
    arguments: list[list[exp.Expr]] = []
    computed: list[tuple[exp.Expr, Field]] = []
    for part, columns in zip(parts, returns, strict=True):
        value = exp.column(part.name, quoted=True)
        if len(columns) == 1:
            arguments.append([value])
            continue
        fields = [Field(names.fresh(f"{part.name} {each.name}"), each.type) for each in columns]
        names_of = [exp.to_identifier(each.name, quoted=True) for each in columns]
        computed += zip(
            (exp.Dot(this=value.copy(), expression=each) for each in names_of), fields, strict=True
        )
        arguments.append([exp.column(field.name, quoted=True) for field in fields])
    if not computed:
        return panes, arguments
    kept = [exp.column(each.name, quoted=True) for each in panes.schema]
    schema = Schema((*panes.schema, *(field for _, field in computed)))
    return Project(panes, (*kept, *(each for each, _ in computed)), schema), arguments


def _served_by(tree: exp.Expr, versions: Sequence[Aggregate]) -> exp.Expr:
    """A call that knows only these versions."""
    copied = tree.copy()
    copied.meta["aggregate"] = tuple(versions)
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
