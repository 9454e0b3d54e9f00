"""INSERT, UPDATE and DELETE in the body of an aggregate, checked against its tables."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from windrow.aggregate_body import (
    INWINDOW,
    RETURN,
    TUPLE,
    Action,
    Delete,
    Event,
    InsertQuery,
    InsertRows,
    LocalTable,
    Update,
)
from windrow.errors import Refused, Span, TypeMismatch, UnknownName
from windrow.language.aggregate_statements import (
    WrittenAction,
    WrittenDelete,
    WrittenInsertQuery,
    WrittenInsertRows,
    WrittenUpdate,
)
from windrow.language.body_expressions import BodyExpressions
from windrow.language.body_names import BodyNames, Frame
from windrow.language.body_types import ANY, cast, fitted
from windrow.language.names import counted, suggest
from windrow.language.scope import Relation
from windrow.language.statements import Name
from windrow.schema import Field, Schema


def read_action(action: WrittenAction, names: BodyNames) -> Action:
    """An action with its names resolved and its types checked."""
    match action:
        case WrittenInsertRows():
            return _insert_rows(action, names)
        case WrittenInsertQuery():
            return _insert_query(action, names)
        case WrittenUpdate():
            return _update(action, names)
        case WrittenDelete():
            return _delete(action, names)


def _insert_rows(action: WrittenInsertRows, names: BodyNames) -> InsertRows:
    table = _target(action.table, names)
    fields = _fields(action.columns, table)
    reader = BodyExpressions(names)
    rows = []
    for row in action.rows:
        _check_count(len(row), fields, table, names.place(row[-1]))
        values = {
            field.name: fitted(*reader.read(value), field, _column_of(table, field), names.place(value))
            for value, field in zip(row, fields, strict=True)
        }
        rows.append(_complete(values, table))
    return InsertRows(table.name, tuple(rows), _condition(action.condition, reader))


def _insert_query(action: WrittenInsertQuery, names: BodyNames) -> InsertQuery:
    table = _target(action.table, names)
    fields = _fields(action.columns, table)
    query, schema = BodyExpressions(names).read_query(action.query.tree)
    place = action.query.span
    _check_count(len(schema), fields, table, place)
    values = {}
    for given, field in zip(schema, fields, strict=True):
        column = exp.column(given.name, table="__given", quoted=True)
        values[field.name] = fitted(column, given.type, field, _column_of(table, field), place)
    return InsertQuery(table.name, _as_columns(query, schema, _complete(values, table)))


def _update(action: WrittenUpdate, names: BodyNames) -> Update:
    table = _own(action.table, names, "changes")
    fields = _fields(action.columns, table)
    reader = BodyExpressions(names.within(_frame(table)))
    values = [
        fitted(*reader.read(value), field, _column_of(table, field), names.place(value))
        for value, field in zip(action.values, fields, strict=True)
    ]
    condition = _condition(action.condition, reader)
    return Update(table.name, tuple(field.name for field in fields), tuple(values), condition)


def _delete(action: WrittenDelete, names: BodyNames) -> Delete:
    table = names.table(action.table)
    condition = _condition(action.condition, BodyExpressions(names.within(_frame(table))))
    arriving = table.name == INWINDOW and names.event is not Event.EXPIRE
    older = arriving and condition is not None and _compares_tuples(condition)
    return Delete(table.name, condition, older)


def _frame(table: LocalTable) -> Frame:
    return Frame([Relation(table.name, table.schema)])


def _target(name: Name, names: BodyNames) -> LocalTable:
    """The table that an INSERT fills."""
    if name.text.upper() == RETURN:
        return LocalTable(RETURN, names.returns)
    return _own(name, names, "fills")


def _own(name: Name, names: BodyNames, does: str) -> LocalTable:
    table = names.table(name)
    if table.name == INWINDOW:
        raise Refused(
            f"the system {does} inwindow, and nobody else",
            name.span,
            hint="tuples can be deleted from it; keep anything else in a table of its own",
        )
    return table


def _fields(columns: Sequence[Name] | None, table: LocalTable) -> list[Field]:
    if columns is None:
        return list(table.schema)
    fields: list[Field] = []
    for name in columns:
        field = table.schema.find(name.text)
        if field is None:
            hint = suggest(name.text, table.schema.names, "columns are")
            raise UnknownName(f"{table.name} has no column '{name}'", name.span, hint=hint)
        if field in fields:
            raise Refused(f"column {field.name} is named twice", name.span, hint="name each column once")
        fields.append(field)
    return fields


def _check_count(given: int, fields: Sequence[Field], table: LocalTable, span: Span) -> None:
    if given != len(fields):
        named = ", ".join(field.name for field in fields if field.name)
        raise Refused(
            f"{counted(given, 'value')} for {counted(len(fields), 'column')} of {table.name}",
            span,
            hint=f"the columns are {named}" if named else "give one value",
        )


def _column_of(table: LocalTable, field: Field) -> str:
    return f"{table.name}.{field.name}" if field.name else table.name


def _complete(values: dict[str, exp.Expr], table: LocalTable) -> tuple[exp.Expr, ...]:
    """A value for each column of the table; NULL for those not named."""
    return tuple(
        values[field.name] if field.name in values else cast(exp.Null(), field.type)
        for field in table.schema
    )


def _condition(condition: exp.Expr | None, reader: BodyExpressions) -> exp.Expr | None:
    if condition is None:
        return None
    resolved, type_ = reader.read(condition)
    if type_ not in ("BOOLEAN", ANY):
        raise TypeMismatch(
            f"WHERE needs a BOOLEAN, and this is {type_}",
            reader.names.place(condition),
            hint="compare it with something",
        )
    return resolved


def _as_columns(query: exp.Query, schema: Schema, values: Sequence[exp.Expr]) -> exp.Query:
    """A query that gives these values, which are over the columns of another as `__given`."""
    if [value.name if isinstance(value, exp.Column) else None for value in values] == list(schema.names):
        return query
    if isinstance(query, exp.Select) and not query.args.get("distinct"):
        own = dict(zip(schema.names, (column.unalias() for column in query.expressions), strict=True))
        query.set("expressions", [_in_place(value, own) for value in values])
        return query
    columns = [exp.to_identifier(name, quoted=True) for name in schema.names]
    alias = exp.TableAlias(this=exp.to_identifier("__given"), columns=columns)
    inner = query if isinstance(query, exp.Subquery) else exp.Subquery(this=query)
    inner.set("alias", alias)
    return exp.Select(expressions=list(values), from_=exp.From(this=inner))


def _in_place(value: exp.Expr, own: dict[str, exp.Expr]) -> exp.Expr:
    """A value over a query's columns, with what computes the column in its place."""
    if isinstance(value, exp.Column):
        return own[value.name]
    if isinstance(value.this, exp.Column):
        value.set("this", own[value.this.name])
    return value


def _compares_tuples(condition: exp.Expr) -> bool:
    """Whether a condition on inwindow compares columns of it with the arguments."""
    return any(
        {INWINDOW, TUPLE} <= {column.table for column in _outside_queries(node)}
        for node in condition.walk(prune=lambda each: isinstance(each, exp.Query))
        if isinstance(node, exp.Predicate) and not isinstance(node, exp.Connector)
    )


def _outside_queries(node: exp.Expr) -> list[exp.Column]:
    walked = node.walk(prune=lambda each: isinstance(each, exp.Query))
    return [each for each in walked if isinstance(each, exp.Column)]
