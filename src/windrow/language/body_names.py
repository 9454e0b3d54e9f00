"""What names mean in the body of an aggregate: its arguments, its tables, oldest(), and aggregates.

Names are looked for from the inside out: in the FROM around them, in that of the query around it, and
last among the arguments. Each column that is found is qualified, and carries its type in `meta["type"]`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from windrow.aggregate_body import INWINDOW, OLDEST, RETURN, TUPLE, Event, LocalTable
from windrow.catalog import Aggregate, Catalog
from windrow.errors import Refused, Span, StatementError, UnknownName
from windrow.language import engine
from windrow.language.names import suggest
from windrow.language.scalars import check_steady, function_names
from windrow.language.scope import Relation, Scope
from windrow.language.statements import Name
from windrow.schema import Field, Schema


@dataclass(frozen=True)
class BodyNames:
    """What the actions at one event can name."""

    scope: Scope
    """For places in the text."""
    owner: str
    arguments: Schema
    returns: Schema
    tables: Mapping[str, LocalTable]
    """By name in small letters, INWINDOW among them."""
    window: bool
    event: Event
    catalog: Catalog
    calls: dict[str, Aggregate]
    """Collects the aggregates that queries call."""
    frames: tuple[Frame, ...] = ()
    """What the queries around this place have in FROM, the innermost first."""

    def within(self, frame: Frame) -> BodyNames:
        return replace(self, frames=(frame, *self.frames))

    def place(self, node: exp.Expr) -> Span:
        return self.scope.place(node)

    def table(self, name: Name) -> LocalTable:
        """The table that an action or FROM names."""
        key = name.text.lower()
        if key == RETURN.lower():
            raise Refused(
                f"{RETURN} takes results and cannot be read or changed",
                name.span,
                hint="keep what is needed later in a table of its own",
            )
        if key not in self.tables:
            hint = suggest(name.text, [table.name for table in self.tables.values()], "tables are")
            raise UnknownName(f"{self.owner} has no table '{name}'", name.span, hint=hint)
        return self.tables[key]

    def column(self, column: exp.Column) -> exp.Expr:
        """What a column means."""
        parts = [part for part in column.parts if isinstance(part, exp.Identifier)]
        first, *rest = parts
        for frame in self.frames:
            relations = [each for each in frame.relations if each.answers_to(first.name)]
            if rest and relations:
                return _dotted(self._of(relations[0], rest[0]), rest[1:])
            if found := self._in_frame(first, frame):
                return _dotted(found, rest)
        if known := self.arguments.find(first.name):
            if self.event is Event.TERMINATE:
                raise Refused(
                    f"{known.name} has no value in TERMINATE, when all tuples have come",
                    self.place(first),
                    hint="keep what is needed then in a table",
                )
            return _dotted(_qualified(TUPLE, known, first), rest)
        raise self._unknown(first)

    def oldest(self, call: exp.Expr, column: exp.Identifier | None) -> exp.Column:
        """What oldest(), or oldest().column, means."""
        window = self.tables.get(INWINDOW)
        if not self.window:
            raise Refused(
                f"oldest() is of a window, and {self.owner} is no WINDOW AGGREGATE",
                self.place(call),
                hint="write CREATE WINDOW AGGREGATE, with a TABLE inwindow",
            )
        if self.event is Event.TERMINATE:
            raise Refused(
                "oldest() has no meaning in TERMINATE", self.place(call), hint="use it in ITERATE or EXPIRE"
            )
        if window is None:
            raise Refused(
                f"oldest() is of inwindow, and {self.owner} declares no such table",
                self.place(call),
                hint="declare TABLE inwindow with a column for each argument",
            )
        if column is None:
            return self._only(window, call)
        found = window.schema.find(column.name)
        if found is None:
            hint = suggest(column.name, window.schema.names, "columns are")
            raise UnknownName(f"inwindow has no column '{column.name}'", self.place(column), hint=hint)
        return _qualified(OLDEST, found, column)

    def _only(self, window: LocalTable, call: exp.Expr) -> exp.Column:
        if len(window.schema) != 1:
            raise Refused(
                f"oldest() has {len(window.schema)} columns, and one is needed here",
                self.place(call),
                hint=f"write oldest().{window.schema.names[0]} or the like",
            )
        return _qualified(OLDEST, window.schema.fields[0], call)

    def called(self, function: exp.Func) -> Aggregate | None:
        """The aggregate of the user's own that a function is; None for one of DuckDB's."""
        names = function_names(function, self.scope)
        check_steady(function, self.scope)
        found = next((each for name in names if (each := self.catalog.aggregate(name))), None)
        if found is None and self._is_itself(names):
            raise Refused(
                f"{self.owner} calls itself", self.place(function), hint="an aggregate cannot be recursive"
            )
        if found is not None:
            self.calls[found.name.lower()] = found
        return found

    def _is_itself(self, names: set[str]) -> bool:
        return self.owner.lower() in names and not names & engine.functions("aggregate")

    def _of(self, relation: Relation, name: exp.Identifier) -> exp.Column:
        found = relation.schema.find(name.name)
        if found is None:
            hint = suggest(name.name, relation.schema.names, "columns are")
            raise UnknownName(f"{relation.name} has no column '{name.name}'", self.place(name), hint=hint)
        return _qualified(relation.name, found, name)

    def of(self, relation: Relation, column: Field, written: exp.Expr) -> exp.Column:
        """A column of a relation, written as a part of a star."""
        return _qualified(relation.name, column, written)

    def _in_frame(self, name: exp.Identifier, frame: Frame) -> exp.Expr | None:
        found = [(each, match) for each in frame.relations if (match := each.schema.find(name.name))]
        if len(found) > 1:
            choices = " or ".join(f"{relation.name}.{name.name}" for relation, _ in found)
            raise UnknownName(
                f"column '{name.name}' could be {choices}",
                self.place(name),
                hint="write the one that you mean with its table's name",
            )
        if found:
            return _qualified(found[0][0].name, found[0][1], name)
        if alias := frame.aliases.get(name.name.lower()):
            return exp.Paren(this=alias.copy())
        return None

    def _unknown(self, name: exp.Identifier) -> StatementError:
        known = [
            field.name for frame in self.frames for relation in frame.relations for field in relation.schema
        ]
        names = list(dict.fromkeys([*known, *self.arguments.names]))
        hint = suggest(name.name, names, "names are")
        return UnknownName(f"there is no column or argument '{name.name}'", self.place(name), hint=hint)


@dataclass(frozen=True)
class Frame:
    """What one FROM makes known, and the aliases of the SELECT list before it."""

    relations: Sequence[Relation]
    aliases: Mapping[str, exp.Expr] = field(default_factory=dict)


def _qualified(table: str, column: Field, written: exp.Expr) -> exp.Column:
    name, qualifier = (exp.Identifier(this=text, quoted=True) for text in (column.name, table))
    name.meta.update(
        {key: value for key, value in written.meta.items() if key in ("line", "col", "start", "end")}
    )
    resolved = exp.Column(this=name, table=qualifier)
    resolved.meta["type"] = column.type
    return resolved


def _dotted(expression: exp.Expr, fields: Sequence[exp.Identifier]) -> exp.Expr:
    for name in fields:
        expression = exp.Dot(this=expression, expression=name.copy())
    return expression
