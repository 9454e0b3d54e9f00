"""Who calls which aggregate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from windrow.catalog import Aggregate, Catalog, DerivedStream
from windrow.errors import Refused
from windrow.language.aggregate_statements import CreateAggregate
from windrow.language.parser import parse, parse_query
from windrow.language.scalars import function_names
from windrow.language.scope import Scope
from windrow.language.statements import Query


def callers_of(name: str, catalog: Catalog, queries: Mapping[str, str]) -> tuple[str, ...]:
    """The derived streams, the queries by name and text, and the aggregates that call one; sorted.

    An aggregate's window version may call its base version: the two go together.
    """
    wanted = name.lower()
    callers = [query for query, text in queries.items() if wanted in _called(parse_query(text))]
    callers += [
        stream.name
        for stream in catalog.streams.values()
        if isinstance(stream, DerivedStream) and wanted in _called_by_stream(stream)
    ]
    callers += [
        each.name
        for each in _aggregates(catalog)
        if each.body and wanted in each.body.calls and each.name.lower() != wanted
    ]
    return tuple(sorted(set(callers)))


def check_unused(statement: CreateAggregate, catalog: Catalog, queries: Mapping[str, str]) -> None:
    """Refuse a definition that would change what a name means to those who use it already."""
    users = callers_of(statement.name.text, catalog, queries)
    if users:
        raise Refused(
            f"{statement.name} has a meaning already for {', '.join(users)}",
            statement.name.span,
            hint="drop what uses it first, or give the aggregate another name",
        )


def _aggregates(catalog: Catalog) -> Iterator[Aggregate]:
    for versions in catalog.aggregates.values():
        yield from versions


def _called(query: Query) -> frozenset[str]:
    """The names of all functions in a query, in small letters."""
    scope = Scope(query.source, query.span, ())
    functions = query.tree.find_all(exp.Func)
    return frozenset(name for function in functions for name in function_names(function, scope))


def _called_by_stream(stream: DerivedStream) -> frozenset[str]:
    (statement,) = parse(stream.sql)
    return _called(statement.query)  # type: ignore[attr-defined]
