"""Queries in the body of an aggregate as loops: over one table, or none, with aggregates of DuckDB's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from sqlglot import exp

from windrow.aggregate_body import OLDEST, TUPLE
from windrow.aggregates.compiler.emitting import NEVER, Emitter, Value
from windrow.aggregates.compiler.folding import FOLDS, Fold
from windrow.aggregates.compiler.kinds import BOOLEAN, CannotCompile
from windrow.aggregates.compiler.scalars import Scalars
from windrow.aggregates.compiler.tables import Table, conjuncts
from windrow.aggregates.compiler.typing import common_kind, kind

_HELD = "held"
"""Marks, in a node's meta, a value that has been computed before."""
_SEVERAL = "Invalid Input Error: More than one row returned by a subquery"
_BEYOND = {
    "group": "GROUP BY",
    "having": "HAVING",
    "qualify": "QUALIFY",
    "windows": "WINDOW",
    "distinct": "DISTINCT",
    "order": "ORDER BY",
    "limit": "LIMIT",
    "offset": "OFFSET",
    "joins": "a join",
}


@dataclass(frozen=True)
class Select:
    """A query, taken apart."""

    table: Table | None
    alias: str
    where: exp.Expr | None
    columns: tuple[exp.Expr, ...]

    @property
    def aggregates(self) -> list[exp.Expr]:
        """The calls of aggregates in it, each with its FILTER."""
        found: list[exp.Expr] = []
        for column in self.columns:
            for node in column.find_all(exp.AggFunc):
                if node.find_ancestor(exp.Query) is column.find_ancestor(exp.Query):
                    found.append(node.parent if isinstance(node.parent, exp.Filter) else node)
        return found


class Queries:
    """Writes queries, and the expressions that stand in and around them."""

    def __init__(
        self, emitter: Emitter, tables: Mapping[str, Table], given: Mapping[str, Callable[[str], Value]]
    ) -> None:
        self._emitter, self._tables = emitter, tables
        self._given = given
        """What makes the values of columns of the tuple, and of the oldest one, by qualifier."""
        self._frames: list[tuple[str, Table, str]] = []
        self._held: list[Value] = []
        self.scalars = Scalars(emitter, self._meaning)

    def taken_apart(self, query: exp.Expr) -> Select:
        if isinstance(query, exp.Subquery):
            return self.taken_apart(query.this)
        if not isinstance(query, exp.Select):
            raise CannotCompile("UNION and its like")
        for key, name in _BEYOND.items():
            if query.args.get(key):
                raise CannotCompile(name)
        source = query.args.get("from_")
        table = source.this if source else None
        if table is not None and (not isinstance(table, exp.Table) or _renames_columns(table)):
            raise CannotCompile("a query in FROM")
        for wrapper in list(query.find_all(exp.IgnoreNulls)):
            if isinstance(wrapper.this, exp.AnyValue):
                wrapper.replace(wrapper.this)
        where = query.args.get("where")
        return Select(
            None if table is None else self._tables[table.name.lower()],
            "" if table is None else table.alias_or_name,
            where.this if where else None,
            tuple(column.unalias() for column in query.expressions),
        )

    @contextmanager
    def rows_of(self, select: Select, filled: Table | None = None) -> Iterator[str]:
        """A loop over the rows that a query finds, in which a table may be filled."""
        if select.table is None:
            with self._where(select.where):
                yield ""
            return
        wanted = self.wanted(select.table, select.alias, select.where)
        with (
            select.table.rows(self._emitter, filling=select.table is filled, where=wanted) as slot,
            self.row(select.alias, select.table, slot),
            self._where(select.where),
        ):
            yield slot

    def wanted(self, table: Table, alias: str, condition: exp.Expr | None) -> Value | None:
        """The value that a condition wants in the column that is searched, if it says so."""
        if table.searched is None or condition is None:
            return None
        kind_, _ = table.layout.places[table.searched]
        name = table.layout.schema.names[table.searched].lower()
        for each in conjuncts(condition):
            if not isinstance(each, exp.EQ):
                continue
            for column, other in ((each.left, each.right), (each.right, each.left)):
                column = column.unnest()
                if not isinstance(column, exp.Column) or column.table.lower() != alias.lower():
                    continue
                knows = all(_is_held(query) for query in other.find_all(exp.Query))
                reads = any(read.table.lower() == alias.lower() for read in other.find_all(exp.Column))
                is_searched = column.name.lower() == name and knows and not reads
                if is_searched and common_kind(column, other) == kind_:
                    return self.scalars.value(other, kind_)
        return None

    @contextmanager
    def row(self, alias: str, table: Table, slot: str) -> Iterator[None]:
        """Know the columns of a row by the name of its table."""
        self._frames.append((alias, table, slot))
        yield
        self._frames.pop()

    def folded(self, select: Select) -> bool:
        """Compute the aggregates of a query, if it has any, before its columns."""
        calls = select.aggregates
        if not calls:
            return False
        if len({id(each) for each in calls}) and any(_lies_within_another(each) for each in calls):
            raise CannotCompile("an aggregate of aggregates")
        self.hoist(select.where)
        folds = [self._fold(call) for call in calls]
        with self.rows_of(select):
            for call, fold in zip(calls, folds, strict=True):
                with self._where(call.expression.this if isinstance(call, exp.Filter) else None):
                    fold.take(self.scalars)
        for call, fold in zip(calls, folds, strict=True):
            self._hold(call, fold.result())
        return True

    def hoist(self, *trees: exp.Expr | None) -> None:
        """Compute the queries in expressions that are the same for every row."""
        for tree in trees:
            if tree is None:
                continue
            for node in list(tree.walk(prune=lambda each: isinstance(each, exp.Query))):
                if isinstance(node, exp.Query) and not _depends_on_rows(node):
                    whole = node.parent if isinstance(node.parent, exp.Exists) else node
                    if whole is not None and not isinstance(whole.parent, exp.In):
                        self._hold(whole, self._meaning(whole) or self.scalars.value(whole))

    def reads(self, table: Table, *trees: exp.Expr | None) -> bool:
        """Whether queries in expressions, apart from those that are held, read a table."""
        return any(
            self._tables.get(each.name.lower()) is table
            for tree in trees
            if tree is not None
            for each in tree.find_all(exp.Table)
            if not _is_held(each)
        )

    def _fold(self, call: exp.Expr) -> Fold:
        function = call.this if isinstance(call, exp.Filter) else call
        make = FOLDS.get(type(function))
        if make is None or isinstance(function.this, exp.Distinct | exp.Order) or _has_more(function):
            raise CannotCompile(f"{function.sql('duckdb')} over rows")
        return make(function, self._emitter)

    @contextmanager
    def _where(self, condition: exp.Expr | None) -> Iterator[None]:
        if condition is None:
            yield
            return
        truth = self.scalars.truth(condition)
        with self._emitter.block(f"if {truth}"):
            yield

    def _meaning(self, node: exp.Expr) -> Value | None:
        if (place := node.meta.get(_HELD)) is not None:
            return self._held[int(place)]
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Exists):
            return self._exists(node)
        if isinstance(node, exp.Query):
            return self._scalar(node)
        return None

    def _column(self, column: exp.Column) -> Value:
        if column.table in (TUPLE, OLDEST):
            return self._given[column.table](column.name)
        for alias, table, slot in reversed(self._frames):
            if alias.lower() == column.table.lower():
                names = [name.lower() for name in table.layout.schema.names]
                return table.load(slot, names.index(column.name.lower()), self._emitter)
        raise CannotCompile(f"the column {column.sql('duckdb')}")

    def _exists(self, node: exp.Exists) -> Value:
        found = self._emitter.name()
        self._emitter.say(f"{found} = False")
        select = self.taken_apart(node.this)
        if select.aggregates:
            return Value("True", NEVER, BOOLEAN)
        with self.rows_of(select):
            self._emitter.say(f"{found} = True")
            if select.table is not None and not select.table.is_single:
                self._emitter.say("break")
        return Value(found, NEVER, BOOLEAN)

    def _scalar(self, node: exp.Query) -> Value:
        select = self.taken_apart(node)
        (column,) = select.columns
        if self.folded(select):
            return self.scalars.value(column)
        result = kind(column)
        value, null, count = (self._emitter.name() for _ in range(3))
        self._emitter.say(f"{value}, {null}, {count} = {result.zero}, True, 0")
        has_several = select.table is not None and not select.table.is_single
        with self.rows_of(select):
            found = self.scalars.value(column, result)
            self._emitter.say(f"{value}, {null} = {found.code}, {found.null}")
            if has_several:
                self._emitter.say(f"{count} += 1")
        if has_several:
            self._emitter.fail_if(f"{count} > 1", _SEVERAL)
        return Value(value, null, result)

    def _hold(self, node: exp.Expr, value: Value) -> None:
        node.meta[_HELD] = len(self._held)
        self._held.append(value)


def _renames_columns(table: exp.Table) -> bool:
    alias = table.args.get("alias")
    return bool(alias and alias.columns)


def _lies_within_another(call: exp.Expr) -> bool:
    within = call.find_ancestor(exp.AggFunc, exp.Query)
    return isinstance(within, exp.AggFunc)


def _has_more(function: exp.Expr) -> bool:
    """Whether an aggregate has more than one argument."""
    return bool(function.args.get("expressions") or function.args.get("expression"))


def _is_held(node: exp.Expr) -> bool:
    while node.parent is not None:
        if _HELD in node.meta:
            return True
        node = node.parent
    return _HELD in node.meta


def _depends_on_rows(query: exp.Expr) -> bool:
    """Whether a query names columns of the queries around it."""
    own = {table.alias_or_name.lower() for table in query.find_all(exp.Table)} | {TUPLE, OLDEST}
    return any(column.table.lower() not in own for column in query.find_all(exp.Column))
