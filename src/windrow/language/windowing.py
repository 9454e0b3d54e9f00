"""Windows on streams and on queries: what may have one, and which."""

from __future__ import annotations

from windrow.errors import Refused, UnknownName
from windrow.language.names import suggest
from windrow.language.output_clauses import windowed_restored
from windrow.language.statements import Name, WindowClause
from windrow.plan.emitting import ToStream
from windrow.plan.grouping import GroupBy
from windrow.plan.nodes import Node, Project, Select, Union, scans
from windrow.plan.patterns import Pattern
from windrow.plan.windows import OutputWindow, Window, WindowSpec


def windowed(node: Node, clause: WindowClause, name: str, alias: str) -> Node:
    """What a window holds of a stream, or of the results of a query that only ever adds."""
    _check_stream(node, clause, name)
    return Window(node, spec_of(node, clause, name, alias), clause.internal)


def output_windowed(node: Node, clause: WindowClause) -> Node:
    """What a window holds of the results of a query: Wstream."""
    if clause.internal:
        raise Refused(
            "a window on the output bounds what counts, so it cannot be INTERNAL",
            clause.span,
            hint="leave INTERNAL out",
        )
    return OutputWindow(node, spec_of(node, clause))


def spec_of(node: Node, clause: WindowClause, *qualifiers: str) -> WindowSpec:
    """A window's size and pace; the columns that it counts by may be qualified."""
    known = {"", *(each.lower() for each in qualifiers)}
    partition = tuple(_column(node, each, known) for each in clause.partition)
    return WindowSpec(clause.extent, clause.size, clause.slide, partition)


def _check_stream(node: Node, clause: WindowClause, name: str) -> None:
    if not scans(node):
        raise Refused(
            f"{name or 'this query'} reads tables, whose rows have no time: there is no window on them",
            clause.span,
            hint="leave the window out",
        )
    if _is_restored(node):
        raise windowed_restored(clause.span)
    if node.pattern is Pattern.MON:
        return
    if _is_one_value(node):
        raise Refused(
            f"{name or 'this query'} is one value that changes, so a window would hold no more than that",
            clause.span,
            hint="make the window inside INTERNAL: then each value stays",
        )
    raise Refused(
        f"the results of {name or 'this query'} expire by themselves, and a window is of a stream",
        clause.span,
        hint="make the windows inside INTERNAL, or write Istream(…) around the SELECT list",
    )


def _is_restored(node: Node) -> bool:
    """Whether a node gives what comes of a restored output, one by one."""
    if isinstance(node, ToStream):
        return node.restore
    return isinstance(node, Project | Select | Union) and any(map(_is_restored, node.inputs))


def _is_one_value(node: Node) -> bool:
    while isinstance(node, Project | Select):
        node = node.input
    return isinstance(node, GroupBy) and not node.keys


def _column(node: Node, name: Name, qualifiers: set[str]) -> str:
    qualifier, _, last = name.text.rpartition(".")
    found = node.schema.find(name.text) or (
        node.schema.find(last) if qualifier.lower() in qualifiers else None
    )
    if found is None:
        raise UnknownName(
            f"there is no column '{name.text}'",
            name.span,
            hint=suggest(name.text, node.schema.names, "columns are"),
        )
    return found.name
