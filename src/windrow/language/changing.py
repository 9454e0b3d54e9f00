"""INSERT … SELECT, UPDATE and DELETE: what they change in a table.

Queries in them read tables as they are when the statement runs, and are all of DuckDB's: it binds the
text as it was written, and its complaints are put where they belong. What is left is one SELECT that
tells which rows go and which come.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from windrow.catalog import Catalog, Relation
from windrow.errors import Refused, Span, StatementError, TypeMismatch, UnknownName
from windrow.language import engine
from windrow.language.casts import castable
from windrow.language.engine import Fault
from windrow.language.inserting import fields_named
from windrow.language.names import counted, suggest
from windrow.language.scalars import function_names
from windrow.language.scope import Scope
from windrow.language.spans import span_of
from windrow.language.statements import Delete, InsertSelect, Name, Update
from windrow.language.tokens import DIALECT, Source
from windrow.language.types import explained
from windrow.schema import Field

ROW = "__row"
"""The column with the numbers of rows that go."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a statement does to a table."""

    relation: Relation
    sql: str
    """Over the tables: the numbers of rows that go, in ROW, or rows that come, or both side by side."""
    parts: tuple[tuple[str, Span], ...]
    """What may fail of it, each as a query of its own, and where it stands."""
    replace: bool = False
    """Rows with the keys of those that come go."""


def inserting(statement: InsertSelect, catalog: Catalog) -> Change:
    """The change that INSERT INTO … SELECT makes."""
    relation = _relation(statement.target, catalog, "INSERT INTO a stream takes VALUES")
    check_replace(relation, statement.target, replace=statement.replace)
    query = statement.query
    context = _Context(catalog, query.source, query.span)
    fields = fields_named(statement.columns, relation.schema)
    context.check([query.tree], query.text, relation)
    given = context.describe(query.text, relation, query.tree)
    if len(given) != len(fields):
        raise Refused(
            f"a query of {counted(len(given), 'column')} for {counted(len(fields), 'column')}",
            query.span,
            hint=f"the columns are {', '.join(field.name for field in fields)}",
        )
    for (_, type_), field in zip(given, fields, strict=True):
        _check_cast(type_, field, query.span)
    names = [f"c{place}" for place in range(len(fields))]
    place_of = {field.name: name for field, name in zip(fields, names, strict=True)}
    wanted = ", ".join(
        f"CAST({place_of.get(field.name, 'NULL')} AS {field.type}) AS {quoted(field.name)}"
        for field in relation.schema
    )
    sql = f"SELECT {wanted} FROM (\n{query.text}\n) AS given({', '.join(names)})"
    return Change(relation, sql, ((sql, query.span),), statement.replace)


def updating(statement: Update, catalog: Catalog) -> Change:
    """The change that UPDATE makes."""
    relation = _relation(statement.target, catalog, "what is on a stream stays as it came")
    context = _Context(catalog, statement.source, statement.span)
    fields = fields_named(statement.columns, relation.schema, "set")
    context.check([*statement.values, *_conditions(statement)], statement.text, relation)
    types = context.types(statement.values, relation)
    for type_, field, value in zip(types, fields, statement.values, strict=True):
        _check_cast(type_, field, context.place(value))
    where = context.where(statement.condition, relation)
    new = {
        field.name: f"CAST({value.sql(DIALECT)} AS {field.type})"
        for field, value in zip(fields, statement.values, strict=True)
    }
    values = (
        f"{new.get(field.name, quoted(field.name))} AS __new{place}"
        for place, field in enumerate(relation.schema)
    )
    each = [
        (f"SELECT {new[field.name]}{where}", context.place(value))
        for field, value in zip(fields, statement.values, strict=True)
    ]
    sql = f"SELECT rowid AS {ROW}, {', '.join(values)}{where}"
    return Change(relation, sql, (*_condition_part(statement, where, context), *each))


def deleting(statement: Delete, catalog: Catalog) -> Change:
    """The change that DELETE makes."""
    relation = _relation(statement.target, catalog, "what is on a stream stays as it came")
    context = _Context(catalog, statement.source, statement.span)
    context.check(_conditions(statement), statement.text, relation)
    where = context.where(statement.condition, relation)
    return Change(relation, f"SELECT rowid AS {ROW}{where}", _condition_part(statement, where, context))


def check_replace(relation: Relation, name: Name, *, replace: bool) -> None:
    """Refuse to replace rows that no key tells apart."""
    if replace and not relation.key:
        raise Refused(
            f"{relation.name} has no PRIMARY KEY, so no row takes the place of another",
            name.span,
            hint="leave OR REPLACE out, or declare the key",
        )


def table_sql(relation: Relation) -> str:
    """The CREATE TABLE that makes a relation in DuckDB; keys are windrow's own matter."""
    columns = ", ".join(f"{quoted(field.name)} {field.type}" for field in relation.schema)
    return f"CREATE TABLE {quoted(relation.name)} ({columns})"


def quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(DIALECT)


@dataclass(frozen=True)
class _Context:
    """What a statement's expressions and queries can name, and the text that they stand in."""

    catalog: Catalog
    source: Source
    span: Span
    """Of the text that DuckDB is shown."""

    def place(self, tree: exp.Expr) -> Span:
        return span_of(tree, self.source, self.span)

    def check(self, trees: Sequence[exp.Expr], text: str, relation: Relation) -> None:
        """Refuse a text with names or types that DuckDB cannot bind; the trees are what it says."""
        self._check_functions(trees)
        relations = list(dict.fromkeys(found for tree in trees for found in self._read(tree, relation)))
        fault = engine.binding_fault(map(table_sql, relations or [relation]), text)
        if fault is None:
            return
        place = self.span
        if fault.position is not None:
            before = text.encode()[: fault.position].decode(errors="ignore")
            index = self.source.index_at(self.source.offset(self.span) + len(before))
            place = self.source.span_of(self.source.tokens[index])
        raise bound_error(fault, place, [name for each in relations for name in each.schema.names])

    def _check_functions(self, trees: Sequence[exp.Expr]) -> None:
        """Refuse aggregates of the user's own, which DuckDB may know as something else."""
        scope = Scope(self.source, self.span, ())
        for function in (each for tree in trees for each in tree.find_all(exp.Func)):
            if own := self.catalog.aggregates.keys() & function_names(function, scope):
                raise Refused(
                    f"statements on tables are asked of DuckDB, which does not know your {min(own)}()",
                    self.place(function),
                    hint="ask a query for it: SNAPSHOT SELECT … FROM a table",
                )

    def describe(self, select: str, relation: Relation, tree: exp.Expr) -> Sequence[tuple[str, str]]:
        tables = map(table_sql, self._read(tree, relation))
        try:
            return engine.describe_over(tables, select)
        except Fault as fault:
            raise explained(fault, self.place(tree)) from None

    def types(self, values: Iterable[exp.Expr], relation: Relation) -> list[str]:
        """The type of each expression over the rows of a relation."""
        from_ = f"FROM {quoted(relation.name)}"
        return [
            type_
            for value in values
            for _, type_ in self.describe(f"SELECT {value.sql(DIALECT)} {from_}", relation, value)
        ]

    def where(self, condition: exp.Expr | None, relation: Relation) -> str:
        """FROM and WHERE, the condition being one."""
        from_ = f" FROM {quoted(relation.name)}"
        if condition is None:
            return from_
        (type_,) = self.types([condition], relation)
        if type_ != "BOOLEAN":
            raise TypeMismatch(
                f"WHERE takes a condition, and this has type {type_}",
                self.place(condition),
                hint="compare it with something",
            )
        return f"{from_} WHERE {condition.sql(DIALECT)}"

    def _read(self, tree: exp.Expr, relation: Relation) -> list[Relation]:
        """The relations that a tree names, and the one that is changed; refuses streams."""
        inner = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
        found = [
            self._relation(table)
            for table in tree.find_all(exp.Table)
            if isinstance(table.this, exp.Identifier) and table.name.lower() not in inner
        ]
        return list(dict.fromkeys([relation, *found]))

    def _relation(self, table: exp.Table) -> Relation:
        name = ".".join(part.name for part in table.parts)
        return _relation(
            Name(name, self.place(table.this)), self.catalog, "a statement on tables reads tables only"
        )


def _relation(name: Name, catalog: Catalog, hint: str) -> Relation:
    found = catalog.named(name.text)
    if isinstance(found, Relation):
        return found
    if found is not None:
        raise Refused(f"{found.name} is a stream, and no table", name.span, hint=hint)
    known = [relation.name for relation in catalog.relations.values()]
    raise UnknownName(
        f"there is no table '{name}'", name.span, hint=suggest(name.text, known, "tables are")
    )


def _conditions(statement: Update | Delete) -> list[exp.Expr]:
    return [] if statement.condition is None else [statement.condition]


def _condition_part(
    statement: Update | Delete, where: str, context: _Context
) -> tuple[tuple[str, Span], ...]:
    if statement.condition is None:
        return ()
    return ((f"SELECT count(*){where}", context.place(statement.condition)),)


def _check_cast(source: str, field: Field, place: Span) -> None:
    if not castable(source, field.type):
        raise TypeMismatch(
            f"column {field.name} is {field.type}, and nothing casts {source} to that",
            place,
            hint="cast to another type first",
        )


def bound_error(fault: Fault, place: Span, columns: Iterable[str]) -> StatementError:
    """What DuckDB has against a query over relations with these columns, in our words."""
    if fault.subtype == "COLUMN_NOT_FOUND":
        hint = suggest(fault.name, list(columns), "columns are")
        return UnknownName(f"there is no column '{fault.name}'", place, hint=hint)
    if fault.kind == "Binder" and fault.subtype != "NO_MATCHING_FUNCTION":
        said, _, advice = fault.message.partition("\n")
        return Refused(said.rstrip("!."), place, hint=" ".join(advice.split()).replace(": :", ":") or None)
    return explained(fault, place)
