"""Wstream within aggregates: SELECT SUM(Wstream(SUM(a))[ROWS 10]) FROM … is short for a query in FROM.

The inner query gives what Wstream holds, and its keys; the outer one aggregates what the window holds of
these results, by the same keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from sqlglot import exp

from windrow.errors import Refused
from windrow.language.aggregates import calls_in
from windrow.language.conditions import columns_of
from windrow.language.context import Context, Names
from windrow.language.output_clauses import misplaced, windowed_restored
from windrow.language.statements import OutputClause, WindowClause

_OF_OUTER = ("distinct", "order", "limit", "offset")


def with_nested_output(select: exp.Select, context: Context) -> exp.Select:
    """The same query with a query in FROM in place of Wstream within aggregates, if there is any."""
    streams = list(nested_streams(select.expressions))
    if not streams:
        return select
    _check_places(select, streams, context)
    keys = _keys(select, context)
    names = Names()
    columns: dict[exp.Expr, str] = {}
    of_streams = (stream.expressions[0] for stream in streams)
    for each, name in (*keys.items(), *((each, each.name or each.sql()) for each in of_streams)):
        if each not in columns:
            columns[each] = names.fresh(name)
    inner = select.copy()
    inner.set("expressions", [exp.alias_(each.copy(), name, quoted=True) for each, name in columns.items()])
    inner.meta["output"] = _clause(streams)
    outer = exp.Select(expressions=[_over(each, columns) for each in select.expressions])
    for clause in _OF_OUTER:
        inner.set(clause, None)
        outer.set(clause, select.args.get(clause) and _over(select.args[clause], columns))
    outer.set("from_", exp.From(this=exp.Subquery(this=inner)))
    if keys:
        outer.set("group", exp.Group(expressions=[exp.column(columns[key], quoted=True) for key in keys]))
    if output := select.meta.get("output"):
        outer.meta["output"] = _of_outer(output, streams)
    return outer


def nested_streams(items: Sequence[exp.Expr]) -> Iterator[exp.Anonymous]:
    """Wstream within expressions, the outermost ones: those further in are the inner queries' own."""
    for item in items:
        below = item.walk(prune=lambda each: _is_stream(each) or isinstance(each, exp.Query))
        yield from filter(_is_stream, below)


def _is_stream(node: exp.Expr) -> TypeGuard[exp.Anonymous]:
    return isinstance(node, exp.Anonymous) and node.name.lower() == "wstream" and "window" in node.meta


def _check_places(select: exp.Select, streams: Sequence[exp.Anonymous], context: Context) -> None:
    calls = [call for item in select.expressions for call in calls_in(item, context)]
    inside = {id(each) for call in calls for each in call.find_all(exp.Anonymous)}
    for stream in streams:
        if id(stream) not in inside or len(stream.expressions) != 1:
            raise misplaced("Wstream", context.place(stream))


def _of_outer(output: OutputClause, streams: Sequence[exp.Anonymous]) -> OutputClause:
    """What is made of the outer answer, which has a window below."""
    if output.restore:
        raise windowed_restored(streams[0].meta["window"].span)
    return output


def _keys(select: exp.Select, context: Context) -> dict[exp.Expr, str]:
    """What is grouped by, and what it is called."""
    group = select.args.get("group")
    if group is None:
        return {}
    if any(name != "expressions" and value for name, value in group.args.items()) or any(
        isinstance(each, exp.Literal) for each in group.expressions
    ):
        raise Refused(
            "beside Wstream in an aggregate, GROUP BY names its keys",
            context.place(group),
            hint="as in SELECT k, SUM(Wstream(SUM(a))[ROWS 10]) FROM … GROUP BY k",
        )
    aliases = {item.alias.lower(): item for item in select.expressions if isinstance(item, exp.Alias)}
    keys: dict[exp.Expr, str] = {}
    for each in group.expressions:
        alias = aliases.get(each.name.lower()) if isinstance(each, exp.Column) and not each.table else None
        if alias is None or each.name.lower() in {name.lower() for name in columns_of(alias)}:
            keys[each] = each.name or each.sql()
        else:
            keys[alias.this] = alias.alias
    return keys


def _clause(streams: Sequence[exp.Anonymous]) -> OutputClause:
    """The window that all of them have."""
    windows: list[WindowClause] = [stream.meta["window"] for stream in streams]
    for window in windows:
        if _said(window) != _said(windows[0]):
            raise Refused(
                "one SELECT list has one output, and so one window on it",
                window.span,
                hint="write two queries, or the inner one as CREATE STREAM … AS",
            )
    return OutputClause("Wstream", windows[0].span, window=windows[0])


def _said(window: WindowClause) -> tuple[object, ...]:
    partition = tuple(name.text.lower() for name in window.partition)
    return window.extent, window.size, window.slide, partition, window.internal


def _over(item: exp.Expr, columns: Mapping[exp.Expr, str]) -> exp.Expr:
    """An expression of the outer query: over the columns of the inner one."""

    by_name = {key.name.lower(): name for key, name in columns.items() if isinstance(key, exp.Column)}

    def told(node: exp.Expr) -> exp.Expr:
        if _is_stream(node):
            node = node.expressions[0]
        name = columns.get(node)
        if name is None and isinstance(node, exp.Column):
            name = by_name.get(node.name.lower())
        return node if name is None else exp.column(name, quoted=True)

    return item.copy().transform(told)
