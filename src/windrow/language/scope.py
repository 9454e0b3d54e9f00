"""What names mean in one query: the columns of what FROM names, and the aliases of the SELECT list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from windrow.errors import Refused, Span, UnknownName
from windrow.language import engine
from windrow.language.names import suggest
from windrow.language.spans import span_of
from windrow.language.tokens import Source
from windrow.schema import Field, Schema

_WITH_FIELDS = ("STRUCT", "UNION", "MAP", "JSON")


@dataclass(frozen=True)
class Relation:
    """Something that FROM names, and how its columns may be qualified."""

    name: str
    schema: Schema
    """The columns under the names that a query uses."""
    provided: tuple[str, ...] = ()
    """The same columns as the plan names them; empty: just so."""
    merged: frozenset[str] = frozenset()
    """Columns that USING merged with another relation's: only a qualifier brings them."""
    of_arguments: Mapping[str, Field] = field(default_factory=dict)
    """Columns that have no name of their own, by the column that they were computed from: outside of
    (SELECT SUM(a) FROM …), a is the sum, if nothing else is."""

    def answers_to(self, qualifier: str) -> bool:
        """Whether this is what a qualifier names: S.late answers to late, too."""
        name = self.name.lower()
        return qualifier.lower() in (name, name.rpartition(".")[2])

    def column(self, field: Field) -> exp.Column:
        """A column as the plan names it; its `meta` keeps the name that the query uses."""
        name = self.provided[self.schema.fields.index(field)] if self.provided else field.name
        column = exp.Column(this=exp.Identifier(this=name, quoted=True))
        column.meta["visible"] = field.name
        return column


@dataclass(frozen=True)
class Scope:
    """The relations and aliases that an expression can name, and the text that it stands in."""

    source: Source
    span: Span
    relations: tuple[Relation, ...]
    aliases: Mapping[str, exp.Expr | None] = field(default_factory=dict)
    outer: Scope | None = None
    """Of a query in WHERE: what the query around it can name."""

    def resolve(self, expression: exp.Expr) -> exp.Expr:
        """The expression with each column as its relation spells it, unqualified."""
        root = exp.Paren(this=expression.copy())
        for column in list(root.find_all(exp.Column)):
            column.replace(self._meaning(column))
        resolved: exp.Expr = root.this.pop()
        return resolved

    def place(self, node: exp.Expr) -> Span:
        return span_of(node, self.source, self.span)

    def relation(self, star: exp.Column) -> Relation:
        """What the S of S.* names."""
        qualifier = ".".join(part.name for part in star.parts[:-1])
        for relation in self.relations:
            if relation.answers_to(qualifier):
                return relation
        raise self._unknown_relation(qualifier, star.parts[0])

    def knows(self, column: exp.Column) -> bool:
        """Whether a column means anything here, be it one thing or several."""
        first = column.parts[0].name
        return any(
            relation.answers_to(first) or relation.schema.find(first) is not None
            for relation in self.relations
        )

    def _meaning(self, column: exp.Column) -> exp.Expr:
        parts = [part for part in column.parts if isinstance(part, exp.Identifier)]
        if len(parts) == 1 and _is_bound_inside(column, parts[0].name):
            return parts[0]
        scope: Scope | None = self
        while scope is not None:
            if found := scope._found(parts):
                return found
            scope = scope.outer
        if len(parts) > 1:
            raise self._unknown_relation(parts[0].name, parts[0])
        known = [(each, each.of_arguments.get(parts[0].name.lower())) for each in self.relations]
        if len(found_ := [each.column(column) for each, column in known if column]) == 1:
            return found_[0]
        raise self._unknown_column(parts[0], self.relations)

    def _found(self, parts: list[exp.Identifier]) -> exp.Expr | None:
        """What a column means among the names of this scope alone."""
        for count in range(len(parts) - 1, 0, -1):
            qualifier = ".".join(part.name for part in parts[:count])
            if relations := [each for each in self.relations if each.answers_to(qualifier)]:
                if found := self._column(parts[count:], relations):
                    return found
                raise self._unknown_column(parts[count], relations)
        first, *fields = parts
        if found := self._column(parts, self.relations):
            return found
        return _dotted(self._alias(first), fields) if first.name.lower() in self.aliases else None

    def _column(self, parts: list[exp.Identifier], relations: Sequence[Relation]) -> exp.Expr | None:
        first, *fields = parts
        matches = [(each, match) for each in relations if (match := each.schema.find(first.name))]
        if len(matches) > 1:
            matches = [(each, match) for each, match in matches if match.name not in each.merged]
        if len(matches) > 1:
            raise self._ambiguous(first, [f"{relation.name}.{first.name}" for relation, _ in matches])
        if not matches:
            return None
        relation, match = matches[0]
        if fields and not match.type.startswith(_WITH_FIELDS) and self._is_around(first.name):
            return None
        column = relation.column(match)
        column.this.meta.update(first.meta)
        return _dotted(column, fields)

    def _is_around(self, qualifier: str) -> bool:
        """Whether this names what a query around this one has in FROM."""
        outer = self.outer
        return outer is not None and (
            any(each.answers_to(qualifier) for each in outer.relations) or outer._is_around(qualifier)
        )

    def _alias(self, name: exp.Identifier) -> exp.Expr:
        expression = self.aliases[name.name.lower()]
        if expression is None:
            raise UnknownName(
                f"'{name.name}' is an alias of two columns",
                self.place(name),
                hint="give one of them another name",
            )
        return exp.Paren(this=expression.copy())

    def _ambiguous(self, name: exp.Identifier, choices: list[str]) -> UnknownName:
        return UnknownName(
            f"column '{name.name}' could be {' or '.join(choices)}",
            self.place(name),
            hint="write the one that you mean with its stream's name",
        )

    def _unknown_relation(self, qualifier: str, node: exp.Expr) -> UnknownName:
        names = [relation.name for relation in self.relations]
        return UnknownName(
            f"there is no '{qualifier}' in FROM",
            self.place(node),
            hint=suggest(qualifier, names, "FROM names"),
        )

    def _unknown_column(self, name: exp.Identifier, relations: Sequence[Relation]) -> UnknownName | Refused:
        if not name.args.get("quoted") and name.name.lower() in engine.unsteady_functions():
            return unsteady(name.name, self.place(name))
        known = [column.name for relation in relations for column in relation.schema]
        hint = suggest(name.name, [*known, *self.aliases], "columns are")
        if name.args.get("quoted") and not hint.startswith("did"):
            hint = "text stands in single quotes; double quotes are for names"
        return UnknownName(f"there is no column '{name.name}'", self.place(name), hint=hint)


def unsteady(name: str, span: Span) -> Refused:
    """The refusal of a function or word whose value is another at each reading."""
    return Refused(
        f"{name} gives another value each time, so a replay would give other answers",
        span,
        hint="for the time, use the stream's timestamp column",
    )


def _dotted(expression: exp.Expr, fields: list[exp.Identifier]) -> exp.Expr:
    for name in fields:
        expression = exp.Dot(this=expression, expression=name.copy())
    return expression


def _is_bound_inside(column: exp.Column, name: str) -> bool:
    """Whether a list comprehension around a column gives its name a meaning of its own."""
    ancestor = column.find_ancestor(exp.Comprehension)
    while ancestor is not None:
        if ancestor.expression.name.lower() == name.lower():
            return True
        ancestor = ancestor.find_ancestor(exp.Comprehension)
    return False
