"""What names mean in one query: the columns of what FROM names, and the aliases of the SELECT list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from windrow.errors import Refused, Span, UnknownName
from windrow.language import engine
from windrow.language.names import suggest
from windrow.language.spans import span_of
from windrow.language.tokens import Source
from windrow.schema import Field, Schema


@dataclass(frozen=True)
class Relation:
    """Something that FROM names, and how its columns may be qualified."""

    name: str
    schema: Schema

    def answers_to(self, qualifier: str) -> bool:
        """Whether this is what a qualifier names: S.late answers to late, too."""
        name = self.name.lower()
        return qualifier.lower() in (name, name.rpartition(".")[2])


@dataclass(frozen=True)
class Scope:
    """The relations and aliases that an expression can name, and the text that it stands in."""

    source: Source
    span: Span
    relations: tuple[Relation, ...]
    aliases: Mapping[str, exp.Expr | None] = field(default_factory=dict)

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

    def _meaning(self, column: exp.Column) -> exp.Expr:
        parts = [part for part in column.parts if isinstance(part, exp.Identifier)]
        if len(parts) == 1 and _is_bound_inside(column, parts[0].name):
            return parts[0]
        for count in range(len(parts) - 1, 0, -1):
            qualifier = ".".join(part.name for part in parts[:count])
            relations = [relation for relation in self.relations if relation.answers_to(qualifier)]
            if relations:
                return self._column(parts[count:], relations)
        return self._column(parts, self.relations)

    def _column(
        self, parts: list[exp.Identifier], relations: tuple[Relation, ...] | list[Relation]
    ) -> exp.Expr:
        first, *fields = parts
        found = [match for relation in relations if (match := relation.schema.find(first.name))]
        if len(found) > 1:
            raise self._ambiguous(first, [f"{relation.name}.{first.name}" for relation in relations])
        if found:
            return _dotted(_column(found[0], first), fields)
        if relations is self.relations and first.name.lower() in self.aliases:
            return _dotted(self._alias(first), fields)
        if fields and relations is self.relations:
            raise self._unknown_relation(first.name, first)
        raise self._unknown_column(first, relations)

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

    def _unknown_column(
        self, name: exp.Identifier, relations: tuple[Relation, ...] | list[Relation]
    ) -> UnknownName | Refused:
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


def _column(column: Field, written: exp.Identifier) -> exp.Column:
    identifier = exp.Identifier(this=column.name, quoted=True)
    identifier.meta.update(written.meta)
    return exp.Column(this=identifier)


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
