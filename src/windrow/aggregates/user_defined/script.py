"""The definition of an aggregate as statements for DuckDB, over tables that hold all groups' rows.

Every statement concerns one group and one tuple, which it gets as parameters. Of a table of the
aggregate it sees the rows of its group alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from windrow.aggregate_body import (
    INWINDOW,
    OLDEST,
    RETURN,
    TUPLE,
    Action,
    Body,
    Delete,
    Event,
    InsertQuery,
    InsertRows,
    Update,
)
from windrow.aggregates.user_defined.group_rows import GROUP, ORDINAL
from windrow.aggregates.user_defined.listing import over_list
from windrow.schema import Field, Schema

TUPLES = "__tuples"
"""The arguments of a batch, by `ORDINAL`."""

_OWN = f'"{GROUP}" = $group'
_ARRIVING = f'"{ORDINAL}" = $row'
_EXPIRING = f'"{ORDINAL}" = $ordinal'


@dataclass(frozen=True)
class Text:
    """A statement, and what it has to be told."""

    sql: str
    parameters: tuple[str, ...]
    returns: bool = False
    fills: bool = False
    """It puts rows into a table that stays."""

    @classmethod
    def of(cls, sql: str, *, returns: bool = False, fills: bool = False) -> Text:
        named = tuple(name for name in ("group", "ordinal", "row", "step") if f"${name}" in sql)
        return cls(sql, named, returns, fills)


class Script:
    """What to say to DuckDB at each event. Names of tables begin with a prefix of the script's own."""

    def __init__(self, name: str, body: Body, *, window: bool) -> None:
        self._prefix = name
        self._body = body
        self.tables = {table.name: table.schema for table in body.tables}
        if window:
            self.tables[INWINDOW] = body.window.schema if body.window else body.arguments
        self.returns = Schema(
            tuple(Field(f"c{place}", field.type) for place, field in enumerate(body.returns))
        )
        self.events = {
            event: tuple(self._action(action, event) for action in body.events.get(event, ()))
            for event in Event
        }
        names = ", ".join(["$group", "$ordinal", *map(quoted, body.arguments.names)])
        window_ = self.name(INWINDOW)
        self.arrive = Text.of(
            f"INSERT INTO {window_} SELECT {names} FROM {self.name(TUPLES)} WHERE {_ARRIVING}"
        )
        """The tuple enters the window."""
        self.is_there = Text.of(f"SELECT 1 FROM {window_} WHERE {_OWN} AND {_EXPIRING}")
        """Whether the tuple that is about to expire is still in the window."""
        self.leave = Text.of(f"DELETE FROM {window_} WHERE {_OWN} AND {_EXPIRING}")

    def name(self, table: str) -> str:
        return quoted(f"{self._prefix}.{table}")

    def function(self, aggregate: str) -> str:
        """What DuckDB knows an aggregate of the user's own by, as a function of the list of its input."""
        return f"{self._prefix} calls {aggregate}".lower()

    def create(self) -> Iterator[str]:
        for table, schema in self._all():
            columns = ", ".join(f"{quoted(field.name)} {field.type}" for field in schema)
            separator = ", " if columns else ""
            yield (
                f'CREATE TEMP TABLE {self.name(table)} ("{GROUP}" BIGINT, "{ORDINAL}" BIGINT'
                f"{separator}{columns})"
            )

    def drop(self) -> Iterator[str]:
        for table, _ in self._all():
            yield f"DROP TABLE IF EXISTS {self.name(table)}"

    def forget(self) -> Iterator[Text]:
        for table in self.tables:
            yield Text.of(f"DELETE FROM {self.name(table)} WHERE {_OWN}")

    def _all(self) -> Iterator[tuple[str, Schema]]:
        yield from self.tables.items()
        yield TUPLES, self._body.arguments
        yield RETURN, self.returns

    def _action(self, action: Action, event: Event) -> Text:
        match action:
            case InsertRows():
                where = "" if action.condition is None else f" WHERE {self._sql(action.condition, event)}"
                rows = (", ".join(self._sql(value, event) for value in row) for row in action.rows)
                return self._insert(
                    action.table, " UNION ALL ".join(f"SELECT {row}{where}" for row in rows)
                )
            case InsertQuery():
                return self._insert(action.table, self._sql(action.query, event))
            case Update():
                values = zip(action.columns, action.values, strict=True)
                assigned = ", ".join(f"{quoted(name)} = {self._sql(to, event)}" for name, to in values)
                target = f"{self.name(action.table)} AS {quoted(action.table)}"
                return Text.of(f"UPDATE {target} SET {assigned} WHERE {self._where(action, event)}")
            case Delete():
                target = f"{self.name(action.table)} AS {quoted(action.table)}"
                older = f' AND "{ORDINAL}" < $ordinal' if action.older else ""
                return Text.of(f"DELETE FROM {target} WHERE {self._where(action, event)}{older}")

    def _where(self, action: Update | Delete, event: Event) -> str:
        return _OWN if action.condition is None else f"{_OWN} AND ({self._sql(action.condition, event)})"

    def _insert(self, table: str, query: str) -> Text:
        if table == RETURN:
            names = ", ".join(quoted(name) for name in self.returns.names)
            sql = (
                f"INSERT INTO {self.name(RETURN)} SELECT $step, NULL, {names} FROM ({query}) AS q({names})"
            )
            return Text.of(sql, returns=True)
        names = ", ".join(quoted(name) for name in self.tables[table].names)
        return Text.of(
            f"INSERT INTO {self.name(table)} SELECT $group, NULL, {names} FROM ({query}) AS q({names})",
            fills=True,
        )

    def _sql(self, tree: exp.Expr, event: Event) -> str:
        root = exp.Paren(this=tree.copy())
        for table in list(root.find_all(exp.Table)):
            table.replace(self._own_rows(table))
        for column in list(root.find_all(exp.Column)):
            if column.table in (TUPLE, OLDEST):
                column.replace(self._value(column, event))
        for call in list(root.find_all(exp.Anonymous)):
            if called := self._body.calls.get(call.name.lower()):
                outer = call.parent if isinstance(call.parent, exp.Filter) else call
                outer.replace(over_list(outer, self.function(call.name), called.parameters))
        return str(root.this.sql(dialect="duckdb"))

    def _own_rows(self, table: exp.Table) -> exp.Expr:
        """The rows of the group, in place of a table."""
        schema: Schema = self.tables[_known(table.name, self.tables)]
        names = ", ".join(quoted(name) for name in schema.names) or quoted(ORDINAL)
        inner: exp.Expr = exp.maybe_parse(
            f"SELECT {names} FROM {self.name(table.name)} WHERE {_OWN}", dialect="duckdb"
        )
        alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(table.name, quoted=True))
        return exp.Subquery(this=inner, alias=alias.copy())

    def _value(self, column: exp.Column, event: Event) -> exp.Expr:
        """What a column of the tuple, or of the oldest one, stands for."""
        window = self.name(INWINDOW)
        if event is Event.EXPIRE:
            name = self._in_window(column)
            return _select(f"SELECT {name} FROM {window} WHERE {_OWN} AND {_EXPIRING}")
        if column.table == OLDEST:
            name = quoted(column.name)
            return _select(f'SELECT {name} FROM {window} WHERE {_OWN} ORDER BY "{ORDINAL}" LIMIT 1')
        tuples = self.name(TUPLES)
        return _select(f"SELECT {quoted(column.name)} FROM {tuples} WHERE {_ARRIVING}")

    def _in_window(self, column: exp.Column) -> str:
        """The name that a column has in the window."""
        if column.table == OLDEST:
            return quoted(column.name)
        place = self._body.arguments.names.index(column.name)
        return quoted(self.tables[INWINDOW].names[place])


def quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(dialect="duckdb")


def _known(name: str, tables: dict[str, Schema]) -> str:
    return next(table for table in tables if table.lower() == name.lower())


def _select(sql: str) -> exp.Expr:
    query: exp.Expr = exp.maybe_parse(sql, dialect="duckdb")
    return exp.Subquery(this=query)
