"""From CREATE AGGREGATE to what the catalog holds: names, types and the rules of each event checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from windrow.aggregate_body import INWINDOW, RETURN, Body, Event, LocalTable
from windrow.catalog import Aggregate, Catalog
from windrow.errors import Refused, Span, StatementError, TypeMismatch
from windrow.language import engine
from windrow.language.additive import sums_of
from windrow.language.aggregate_statements import (
    CreateAggregate,
    Declared,
    WrittenBody,
    WrittenInsertQuery,
    WrittenInsertRows,
    WrittenTable,
)
from windrow.language.body_actions import read_action
from windrow.language.body_names import BodyNames
from windrow.language.body_types import ANY
from windrow.language.casts import castable
from windrow.language.declared_names import check_columns
from windrow.language.names import an, counted
from windrow.language.parser import parse
from windrow.language.python_aggregates import check_class
from windrow.language.scope import Scope
from windrow.language.statements import Text
from windrow.language.types import column_type
from windrow.schema import Field, Schema


def define_aggregate(
    statement: CreateAggregate, catalog: Catalog, types: Sequence[str] | None = None
) -> Aggregate:
    """The aggregate that a statement declares; with `types`, as it is for arguments of these types."""
    parameters = _parameters(statement, types)
    returns = _returns(statement)
    if types is None:
        _check_name(statement, catalog)
    body, blocking, merges = None, True, False
    if statement.python is not None:
        blocking, merges = check_class(statement.python, window=statement.window)
    misfits = statement.algebraic and not merges and not feeds(returns, parameters)
    if misfits and not (statement.body and statement.body.tables):
        raise _misfit(statement, parameters, returns)
    if statement.body is not None:
        body = _body(statement, statement.body, parameters, returns, catalog)
        blocking = bool(body.events.get(Event.TERMINATE))
    if misfits and not (body and sums_of(body)):
        raise _misfit(statement, parameters, returns)
    return Aggregate(
        statement.name.text,
        parameters,
        returns,
        blocking,
        statement.window,
        statement.algebraic,
        statement.text,
        _value_type(returns, statement.name.span),
        body,
        statement.python.text if statement.python else None,
        merges,
    )


def fitted_to(aggregate: Aggregate, types: Sequence[str], catalog: Catalog) -> Aggregate:
    """An aggregate as it is for arguments of these types, where it leaves some of them open."""
    if all(each.type != ANY for each in aggregate.parameters):
        return aggregate
    (statement,) = parse(aggregate.sql)
    assert isinstance(statement, CreateAggregate)
    fitted = define_aggregate(statement, catalog, types)
    return replace(fitted, limit=aggregate.limit, patience=aggregate.patience)


def _check_name(statement: CreateAggregate, catalog: Catalog) -> None:
    name, kind = statement.name, "window aggregate" if statement.window else "aggregate"
    if known := catalog.aggregate(name.text, window=statement.window):
        raise Refused(
            f"there is {an(kind)} {known.name} already",
            name.span,
            hint=f"drop it first: DROP {kind.upper()} {known.name}",
        )
    if name.text.lower() == "oldest" or name.text.lower() in engine.functions("scalar", "macro"):
        raise Refused(
            f"{name} is a function of single values already", name.span, hint="give it another name"
        )


def _parameters(statement: CreateAggregate, types: Sequence[str] | None) -> Schema:
    check_columns([each.name for each in statement.arguments])
    declared = [ANY if each.type is None else column_type(each.type) for each in statement.arguments]
    given = (
        declared
        if types is None
        else [argument if own == ANY else own for own, argument in zip(declared, types, strict=True)]
    )
    names = (each.name.text for each in statement.arguments)
    return Schema(tuple(Field(name, type_) for name, type_ in zip(names, given, strict=True)))


def _returns(statement: CreateAggregate) -> Schema:
    if not statement.returns:
        raise Refused(
            f"{statement.name} returns no column", statement.name.span, hint="write a type behind ':'"
        )
    check_columns([each.name for each in statement.returns])
    return _typed(statement.returns, "what it returns")


def _typed(columns: Sequence[Declared], of: str) -> Schema:
    fields = []
    for column in columns:
        if column.type is None:
            raise Refused(
                f"column {column.name} of {of} has no type",
                column.name.span,
                hint=f"write {column.name} and a type, as in INTEGER",
            )
        fields.append(Field(column.name.text, column_type(column.type)))
    return Schema(tuple(fields))


def _value_type(returns: Schema, span: Span) -> str:
    if len(returns) == 1:
        return returns.fields[0].type
    fields = (f'"{field.name.replace(chr(34), chr(34) * 2)}" {field.type}' for field in returns)
    return column_type(Text(f"STRUCT({', '.join(fields)})", span))


def feeds(results: Schema, parameters: Schema) -> bool:
    """Whether what an aggregate returns of a part is what it takes."""
    return len(results) == len(parameters) and all(map(_feeds, results, parameters))


def _feeds(result: Field, argument: Field) -> bool:
    return argument.type == ANY or castable(result.type, argument.type)


def _misfit(statement: CreateAggregate, parameters: Schema, returns: Schema) -> StatementError:
    """Why results over parts do not feed an ALGEBRAIC aggregate."""
    name = statement.name
    if len(parameters) != len(returns):
        return Refused(
            f"ALGEBRAIC feeds results back in, and {name} takes {counted(len(parameters), 'value')}"
            f" and returns {len(returns)}",
            name.span,
            hint="return as many values as it takes, or leave ALGEBRAIC out",
        )
    pairs = zip(returns, parameters, strict=True)
    result, argument = next(pair for pair in pairs if not _feeds(*pair))
    return TypeMismatch(
        f"ALGEBRAIC feeds results back in, and {argument.name} is {argument.type},"
        f" while {result.type} is returned",
        name.span,
        hint="return the types that it takes, or leave ALGEBRAIC out",
    )


def _body(
    statement: CreateAggregate, written: WrittenBody, parameters: Schema, returns: Schema, catalog: Catalog
) -> Body:
    _check_events(statement, written)
    tables = _tables(statement, written, parameters)
    calls: dict[str, Aggregate] = {}
    events = {}
    for event, actions in written.events.items():
        names = BodyNames(
            Scope(statement.source, statement.span, ()),
            statement.name.text,
            parameters,
            returns,
            tables,
            statement.window,
            event,
            catalog,
            calls,
        )
        events[event] = tuple(read_action(action, names) for action in actions)
    window = tables.get(INWINDOW)
    own = tuple(table for table in tables.values() if table is not window)
    return Body(parameters, returns, own, window, events, calls)


def _check_events(statement: CreateAggregate, written: WrittenBody) -> None:
    for event in (Event.INITIALIZE, Event.ITERATE):
        if event not in written.events:
            raise Refused(
                f"{statement.name} does not say what to do at {event.value}",
                written.end,
                hint=f"write {event.value}: {{ }} if there is nothing to do",
            )
    if Event.EXPIRE in written.events and not statement.window:
        raise Refused(
            f"tuples expire in windows, and {statement.name} is no WINDOW AGGREGATE",
            written.places[Event.EXPIRE],
            hint="write CREATE WINDOW AGGREGATE",
        )
    returned = (
        isinstance(action, WrittenInsertRows | WrittenInsertQuery) and action.table.text.upper() == RETURN
        for actions in written.events.values()
        for action in actions
    )
    if not any(returned):
        raise Refused(
            f"{statement.name} never returns anything",
            written.end,
            hint="write INSERT INTO RETURN where its result is known",
        )


def _tables(
    statement: CreateAggregate, written: WrittenBody, parameters: Schema
) -> Mapping[str, LocalTable]:
    tables: dict[str, LocalTable] = {}
    for table in written.tables:
        key = table.name.text.lower()
        if key == RETURN.lower():
            raise Refused(
                f"{RETURN} is there by itself", table.name.span, hint="its columns stand behind the ':'"
            )
        if key in tables:
            raise Refused(
                f"there are two tables '{table.name}'",
                table.name.span,
                hint="case makes no difference: rename one",
            )
        check_columns([column.name for column in table.columns])
        if key == INWINDOW:
            tables[key] = LocalTable(INWINDOW, _window(statement, table, parameters))
        else:
            tables[key] = LocalTable(table.name.text, _typed(table.columns, table.name.text))
    return tables


def _window(statement: CreateAggregate, table: WrittenTable, parameters: Schema) -> Schema:
    """The columns of inwindow: the arguments, under names of their own."""
    if not statement.window:
        raise Refused(
            f"inwindow is of windows, and {statement.name} is no WINDOW AGGREGATE",
            table.name.span,
            hint="write CREATE WINDOW AGGREGATE, or give the table another name",
        )
    if len(table.columns) != len(parameters):
        raise Refused(
            f"inwindow has {counted(len(table.columns), 'column')},"
            f" and {statement.name} takes {counted(len(parameters), 'argument')}",
            table.name.span,
            hint="give it a column for each argument, in their order",
        )
    fields = []
    for column, argument in zip(table.columns, parameters, strict=True):
        type_ = argument.type if column.type is None else column_type(column.type)
        if argument.type not in (type_, ANY):
            raise TypeMismatch(
                f"inwindow holds the arguments, and {column.name} is {type_}"
                f" while {argument.name} is {argument.type}",
                column.name.span,
                hint=f"declare {column.name} as {argument.type}, or without a type",
            )
        fields.append(Field(column.name.text, argument.type))
    return Schema(tuple(fields))
