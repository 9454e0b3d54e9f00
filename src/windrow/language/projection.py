"""The SELECT list: stars spread out, aliases remembered, every output column named and typed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from windrow.errors import Refused, UnknownName
from windrow.language.context import NotIncremental
from windrow.language.names import suggest
from windrow.language.scalars import check_scalar
from windrow.language.scope import Relation, Scope
from windrow.language.types import type_scalars
from windrow.plan.nodes import Node, Project
from windrow.schema import Field, Schema

MOST_COLUMNS = 2_000


@dataclass(frozen=True)
class Column:
    """An output column: its expression, resolved, and its name if it has one."""

    expression: exp.Expr
    name: str | None
    written: exp.Expr
    hidden: bool = False
    """It is computed for the system's own use."""


@dataclass
class Projection:
    """Reads a SELECT list from left to right, as an alias serves those behind it."""

    scope: Scope
    columns: list[Column] = field(default_factory=list)
    aliases: dict[str, exp.Expr | None] = field(default_factory=dict)
    """None stands for an alias that is given twice."""

    def read(self, items: Iterable[exp.Expr]) -> Projection:
        for item in items:
            self._add(item)
            if len(self.columns) > MOST_COLUMNS:
                raise Refused(
                    f"the result has more than {MOST_COLUMNS} columns",
                    self.scope.place(item),
                    hint="name the columns that are needed",
                )
        return self

    def _add(self, item: exp.Expr) -> None:
        star = item.this if isinstance(item, exp.Column) else item
        if isinstance(star, exp.Star):
            relations = (
                [self.scope.relation(item)] if isinstance(item, exp.Column) else self.scope.relations
            )
            self._spread(star, relations, qualified=isinstance(item, exp.Column))
            return
        name = item.alias if isinstance(item, exp.Alias) else None
        column = self._column(item.this if name is not None else item, name, item)
        self.columns.append(column)
        if name is not None:
            twice = name.lower() in self.aliases
            self.aliases[name.lower()] = None if twice else column.expression

    def _column(self, expression: exp.Expr, name: str | None, written: exp.Expr) -> Column:
        if expression.find(exp.Query):
            raise NotIncremental("a query in the SELECT list")
        resolved = replace(self.scope, aliases=self.aliases).resolve(expression)
        if name is None and isinstance(expression, exp.Column):
            name = resolved.meta.get("visible", expression.name)
        return Column(resolved, name, written)

    def _spread(self, star: exp.Star, relations: Sequence[Relation], qualified: bool) -> None:
        """* and S.*, with EXCLUDE, REPLACE and RENAME."""
        left_out = {self._known(name, relations) for name in star.args.get("except_") or ()}
        replaced = {
            self._known(alias.args["alias"], relations): alias for alias in star.args.get("replace") or ()
        }
        names = {self._known(alias.this, relations): alias.alias for alias in star.args.get("rename") or ()}
        for relation in relations:
            for column in relation.schema:
                if column.name in left_out or (column.name in relation.merged and not qualified):
                    continue
                name = names.get(column.name, column.name)
                if column.name in replaced:
                    alias = replaced[column.name]
                    self.columns.append(self._column(alias.this, name, alias))
                else:
                    plain = relation.column(column)
                    plain.this.meta.update(star.meta)
                    self.columns.append(Column(plain, name, star))

    def _known(self, name: exp.Expr, relations: Sequence[Relation]) -> str:
        """The column that EXCLUDE, REPLACE or RENAME names, as declared."""
        for relation in relations:
            if found := relation.schema.find(name.name):
                return found.name
        known = [column.name for relation in relations for column in relation.schema]
        raise UnknownName(
            f"there is no column '{name.name}'",
            self.scope.place(name),
            hint=suggest(name.name, known, "columns are"),
        )


def project(input_: Node, columns: Sequence[Column], scope: Scope, kept: Sequence[str] = ()) -> Node:
    """The input with these columns, and those of the system's own that have to be kept.

    The input itself if they are all its own.
    """
    if not columns:
        raise Refused("SELECT leaves no column", scope.span, hint="EXCLUDE fewer columns")
    expressions = [column.expression for column in columns]
    for expression in expressions:
        check_scalar(expression, scope)
    typed = type_scalars(expressions, input_.schema, scope.place)
    for column in columns:
        if column.name is not None and column.name.startswith("__") and not column.hidden:
            raise Refused(
                f"'{column.name}' begins with two underscores, as only the system's own names do",
                scope.place(column.written),
                hint="give it another name with AS",
            )
    names = distinct_names(
        [column.name or as_written(field.name, scope) for column, field in zip(columns, typed, strict=True)]
    )
    fields = [Field(name, field.type) for name, field in zip(names, typed, strict=True)]
    own = [field for field in input_.schema if field.name in kept]
    expressions += [exp.column(field.name, quoted=True) for field in own]
    output = Schema((*fields, *own))
    if output == input_.schema and all(
        isinstance(expression, exp.Column) and expression.name == name
        for expression, name in zip(expressions, output.names, strict=True)
    ):
        return input_
    return Project(input_, tuple(expressions), output)


def as_written(name: str, scope: Scope) -> str:
    """A name that DuckDB made up, with columns as the query calls them."""
    for relation in scope.relations:
        for plan_name in relation.provided:
            name = name.replace(f'"{plan_name}"', plan_name)
    return name


def renamed(node: Node, names: Sequence[str]) -> Node:
    """The same columns under other names."""
    fields = zip(distinct_names(names), node.schema, strict=True)
    output = Schema(tuple(Field(name, field.type) for name, field in fields))
    return Project(node, tuple(exp.column(name, quoted=True) for name in node.schema.names), output)


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names told apart as DuckDB does: the second a is a_1, whatever its case."""
    taken: set[str] = set()
    distinct: list[str] = []
    for name in names:
        candidate, number = name, 0
        while candidate.lower() in taken:
            number += 1
            candidate = f"{name}_{number}"
        taken.add(candidate.lower())
        distinct.append(candidate)
    return tuple(distinct)
