"""Expressions and queries in the body of an aggregate: names resolved, and types found.

Trees are resolved in place; `read` and `read_query` do it to a copy. A query that has been resolved
carries its columns in `meta["schema"]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from windrow.aggregate_body import LocalTable
from windrow.errors import Refused, StatementError, TypeMismatch
from windrow.language import engine
from windrow.language.body_names import BodyNames, Frame
from windrow.language.body_types import check_query, fitted, types_of
from windrow.language.names import counted
from windrow.language.projection import distinct_names
from windrow.language.scalars import check_nesting, function_names
from windrow.language.scope import Relation
from windrow.language.spans import keyword_span
from windrow.language.statements import Name
from windrow.language.types import common_type
from windrow.schema import Field, Schema

_REFUSED = {
    "with_": ("WITH", "put the inner query into FROM"),
    "laterals": ("LATERAL", "join tables with ON"),
    "pivots": ("PIVOT", "write the columns out"),
    "sample": ("a sample", "choose rows with WHERE"),
    "into": ("INTO", "INSERT INTO a table of the aggregate"),
}
_CLAUSES = ("where", "group", "having", "qualify", "windows", "distinct", "order", "limit", "offset")


@dataclass(frozen=True)
class BodyExpressions:
    """Reads expressions where certain names are known."""

    names: BodyNames
    in_query: bool = False
    """Whether there are rows for an aggregate to be over."""

    def read(self, expression: exp.Expr) -> tuple[exp.Expr, str]:
        """An expression with its names resolved, and its type."""
        check_nesting(expression, self.names.scope)
        root = exp.Paren(this=expression.copy())
        self._resolve_below(root)
        resolved: exp.Expr = root.this.pop()
        (type_,) = types_of([resolved], self.names.place)
        return resolved, type_

    def read_query(self, query: exp.Query) -> tuple[exp.Query, Schema]:
        """A query with its names resolved, and its columns."""
        check_nesting(query, self.names.scope)
        resolved = query.copy()
        schema = self._query(resolved)
        check_query(resolved, self.names.tables.values(), self.names.place)
        return resolved, schema

    def _resolve_below(self, node: exp.Expr) -> None:
        for child in list(node.iter_expressions()):
            meant = self._meaning(child)
            if meant is not child:
                child.replace(meant)

    def _meaning(self, node: exp.Expr) -> exp.Expr:
        """What stands for a node: itself, with its parts resolved, unless it is a name."""
        if isinstance(node, exp.Column):
            if isinstance(node.this, exp.Star):
                raise self._stray_star(node)
            return self.names.column(node)
        if (
            isinstance(node, exp.Dot)
            and _is_oldest(node.this)
            and isinstance(node.expression, exp.Identifier)
        ):
            return self.names.oldest(node.this, node.expression)
        if _is_oldest(node):
            return self.names.oldest(node, None)
        if isinstance(node, exp.Query):
            self._query(node)
            return node
        if isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count):
            raise self._stray_star(node)
        if isinstance(node, exp.Window) and not self.in_query:
            raise self._no_rows(node)
        called = self._called(node) if isinstance(node, exp.Func) else None
        self._resolve_below(node)
        return called or node

    def _called(self, node: exp.Func) -> exp.Expr | None:
        """The call of an aggregate of the user's own; its arguments are resolved where they stand."""
        called = self.names.called(node)
        aggregates = engine.functions("aggregate", "window")
        is_aggregate = isinstance(node, exp.AggFunc) or function_names(node, self.names.scope) & aggregates
        if not self.in_query and (called or is_aggregate):
            raise self._no_rows(node)
        if called is None:
            return None
        arguments = list(node.iter_expressions())
        if any(isinstance(each, exp.Distinct | exp.Order) for each in arguments):
            raise Refused(
                f"{called.name} is called with plain arguments here",
                self.names.place(node),
                hint="choose and order rows in a query in FROM",
            )
        if len(arguments) != len(called.parameters) or len(called.returns) != 1:
            raise self._misfit(node, called.name, called.parameters, called.returns, len(arguments))
        call = exp.Anonymous(this=called.name)
        call.meta.update({**node.meta, "type": called.returns.fields[0].type})
        self._resolve_below(node)
        given = [argument.pop() for argument in list(node.iter_expressions())]
        types = types_of(given, self.names.place)
        fits = zip(given, types, called.parameters, strict=True)
        span = self.names.place(node)
        what = f"argument {{}} of {called.name}"
        call.set("expressions", [fitted(*fit, what.format(fit[-1].name), span) for fit in fits])
        return call

    def _query(self, query: exp.Expr) -> Schema:
        """Resolve a query; its columns."""
        for key, (name, hint) in _REFUSED.items():
            if query.args.get(key):
                span = keyword_span(query, self.names.scope.source, self.names.place(query), name)
                raise Refused(f"a query in an aggregate cannot have {name}", span, hint=hint)
        if isinstance(query, exp.Select):
            schema = self._select(query)
        elif isinstance(query, exp.Subquery):
            schema = self._query(query.this)
        elif isinstance(query, exp.SetOperation):
            schema = self._set_operation(query)
        else:
            raise Refused(
                "this query is not read here", self.names.place(query), hint="write SELECT … FROM"
            )
        query.meta["schema"] = schema
        return schema

    def _select(self, select: exp.Select) -> Schema:
        joins = select.args.get("joins") or []
        source = select.args.get("from_")
        tables = [*([source.this] if source else []), *(join.this for join in joins)]
        relations = [self._relation(table) for table in tables]
        aliases: dict[str, exp.Expr] = {}
        inside = BodyExpressions(self.names.within(Frame(relations, aliases)), in_query=True)
        for join in joins:
            inside._join(join)
        columns = [column for item in list(select.expressions) for column in inside._item(item, aliases)]
        select.set("expressions", columns)
        for clause in _CLAUSES:
            part = select.args.get(clause)
            for each in part if isinstance(part, list) else [part]:
                if isinstance(each, exp.Expr):
                    inside._resolve_below(each)
                    types_of(_conditions(each), self.names.place)
        types = types_of([column.unalias() for column in columns], self.names.place)
        named = distinct_names([column.alias_or_name or "column" for column in columns])
        return Schema(tuple(Field(name, type_) for name, type_ in zip(named, types, strict=True)))

    def _item(self, item: exp.Expr, aliases: dict[str, exp.Expr]) -> Iterator[exp.Expr]:
        """The columns that an item of the SELECT list stands for."""
        star = item.this if isinstance(item, exp.Column) else item
        if isinstance(star, exp.Star):
            if any(star.args.get(key) for key in ("except_", "replace", "rename")):
                raise self._stray_star(item)
            qualifier = item.table if isinstance(item, exp.Column) else None
            yield from self._spread(item, qualifier)
            return
        target = item.this if isinstance(item, exp.Alias) else item
        meant = self._meaning(target)
        if isinstance(item, exp.Alias):
            if meant is not target:
                target.replace(meant)
            aliases[item.alias.lower()] = meant
            yield item
        else:
            yield meant

    def _spread(self, item: exp.Expr, qualifier: str | None) -> Iterator[exp.Expr]:
        for relation in self.names.frames[0].relations:
            if qualifier is None or relation.answers_to(qualifier):
                for field in relation.schema:
                    yield self.names.of(relation, field, item)

    def _join(self, join: exp.Join) -> None:
        if join.args.get("using") or join.method:
            raise Refused(
                "tables are joined with ON here", self.names.place(join), hint="write JOIN … ON a = b"
            )
        if condition := join.args.get("on"):
            meant = self._meaning(condition)
            if meant is not condition:
                condition.replace(meant)
            types_of([meant], self.names.place)

    def _relation(self, table: exp.Expr) -> Relation:
        """What FROM names: a table of the aggregate, or a query in parentheses."""
        if isinstance(table, exp.Subquery):
            return _renamed(table, self._query(table))
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            raise Refused(
                "FROM names tables of the aggregate, or queries in parentheses",
                self.names.place(table),
                hint="declare a TABLE for what is to be kept",
            )
        found: LocalTable = self.names.table(Name(table.name, self.names.place(table.this)))
        table.this.set("this", found.name)
        table.this.set("quoted", True)
        return _renamed(table, found.schema, found.name)

    def _set_operation(self, query: exp.SetOperation) -> Schema:
        left, right = self._query(query.this), self._query(query.expression)
        if len(left) != len(right):
            raise Refused(
                f"one side has {counted(len(left), 'column')}, and this has {len(right)}",
                self.names.place(query.expression),
                hint="give each the same number of columns",
            )
        fields = []
        for mine, other in zip(left, right, strict=True):
            type_ = common_type((mine.type, other.type))
            if type_ is None:
                raise TypeMismatch(
                    f"column {mine.name} would be {mine.type} and {other.type}",
                    self.names.place(query.expression),
                    hint="CAST one to the type of the other",
                )
            fields.append(Field(mine.name, type_))
        return Schema(tuple(fields))

    def _stray_star(self, node: exp.Expr) -> Refused:
        return Refused(
            "* stands only by itself in a SELECT list", self.names.place(node), hint="name the columns"
        )

    def _no_rows(self, node: exp.Expr) -> Refused:
        return Refused(
            "an aggregate needs the rows of a query",
            self.names.place(node),
            hint="write (SELECT … FROM a table)",
        )

    def _misfit(
        self, node: exp.Expr, name: str, parameters: Schema, returns: Schema, given: int
    ) -> StatementError:
        if len(returns) != 1:
            return Refused(
                f"{name} returns {counted(len(returns), 'column')}, and one is needed here",
                self.names.place(node),
                hint="call an aggregate that returns one value",
            )
        return TypeMismatch(
            f"{name} takes {counted(len(parameters), 'argument')}, and is given {given}",
            self.names.place(node),
            hint=f"its arguments are {', '.join(parameters.names)}",
        )


def _conditions(clause: exp.Expr) -> list[exp.Expr]:
    return [clause.this] if isinstance(clause, exp.Where | exp.Having | exp.Qualify) else []


def _is_oldest(node: object) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() == "oldest" and not node.expressions


def _renamed(table: exp.Expr, schema: Schema, name: str = "") -> Relation:
    """A relation under the alias that it has in FROM."""
    alias = table.args.get("alias")
    names = [column.name for column in alias.columns] if alias else []
    fields = [
        Field(new, field.type)
        for new, field in zip((*names, *schema.names[len(names) :]), schema, strict=True)
    ]
    return Relation(table.alias or name, Schema(tuple(fields)))
