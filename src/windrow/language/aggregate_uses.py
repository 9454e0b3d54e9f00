"""Who calls which aggregate."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from windrow.catalog import Catalog, DerivedStream
from windrow.errors import Refused
from windrow.language.aggregate_statements import CreateAggregate
from windrow.language.parser import parse, parse_query
from windrow.language.scalars import function_names
from windrow.language.scope import Scope
from windrow.language.statements import Query


def callers_of(name: str, catalog: Catalog, queries: Mapping[str, str]) -> tuple[str, ...]:
    """The derived streams, and the queries by name and text, that call a function; sorted."""
    wanted = name.lower()
    streams = [
        stream.name
        for stream in catalog.streams.values()
        if isinstance(stream, DerivedStream) and wanted in _called_by_stream(stream)
    ]
    callers = [query for query, text in queries.items() if wanted in _called(parse_query(text))]
    return tuple(sorted({*streams, *callers}))


def aggregates_calling(name: str, catalog: Catalog) -> tuple[str, ...]:
    """The aggregates that call the base version of one; sorted. Its own window version goes with it."""
    wanted = name.lower()
    callers = {
        each.name
        for versions in catalog.aggregates.values()
        for each in versions
        if each.body and wanted in each.body.calls and each.name.lower() != wanted
    }
    return tuple(sorted(callers))


def check_unused(statement: CreateAggregate, catalog: Catalog, queries: Mapping[str, str]) -> None:
    """Refuse a definition that would change what a name means to those who use it already.

    Aggregates are not among them: what they call was settled when they were created.
    """
    users = callers_of(statement.name.text, catalog, queries)
    if users:
        raise Refused(
            f"{statement.name} has a meaning already for {', '.join(users)}",
            statement.name.span,
            hint="drop what uses it first, or give the aggregate another name",
        )


def _called(query: Query) -> frozenset[str]:
    """The names of all functions in a query, in small letters."""
    scope = Scope(query.source, query.span, ())
    functions = query.tree.find_all(exp.Func)
    return frozenset(name for function in functions for name in function_names(function, scope))


def _called_by_stream(stream: DerivedStream) -> frozenset[str]:
    (statement,) = parse(stream.sql)
    return _called(statement.query)  # type: ignore[attr-defined]
