"""The tables of an aggregate in generated code: loops over the rows of a group, columns, new rows.

A table that can only ever hold one row keeps it in the slot that has the number of its group. The arrays
of the table numbered t are called i, f, z (numbers, floating numbers, what is NULL), l, h and m (links,
heads and meta, as in `prelude`), each with t behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sqlglot import exp

from windrow.aggregate_body import (
    INWINDOW,
    OLDEST,
    TUPLE,
    Action,
    Body,
    Delete,
    Event,
    InsertQuery,
    InsertRows,
    Update,
)
from windrow.aggregates.compiler.emitting import ALWAYS, NEVER, Emitter, Value
from windrow.aggregates.compiler.kinds import Family, Layout
from windrow.schema import Schema

_SEARCHED = (Family.INTEGER, Family.INSTANT, Family.STRING)
"""What an index takes."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table and where it lies."""

    name: str
    number: int
    layout: Layout
    is_single: bool
    searched: int | None = None
    """The column that has an index, as conditions compare it."""

    @contextmanager
    def rows(self, emitter: Emitter, *, filling: bool = False, where: Value | None = None) -> Iterator[str]:
        """A loop over the rows of the group; gives the name of the slot, which may be dropped in it. With
        `filling`, rows enter meanwhile, and the loop does not come to them; with `where`, only the rows
        that have this value in the column that is searched."""
        if self.is_single:
            with emitter.block(f"if l{self.number}[g, GROUP] >= 0"):
                yield "g"
            return
        slot, behind = emitter.name(), emitter.name()
        first, end = f"h{self.number}[g, FIRST]", f"h{self.number}[g, LAST]"
        if where is not None:
            place = emitter.fresh(f"seek(x{self.number}, g, {where.code})")
            first, end = f"x{self.number}[{place}, OLDEST]", f"x{self.number}[{place}, NEWEST]"
        emitter.say(f"{behind} = {first}")
        last = emitter.fresh(f"{end} + 0") if filling else ""
        if where is not None and where.null != NEVER:
            with emitter.block(f"if {where.null}"):
                emitter.say(f"{behind} = NO_ROW")
        with emitter.block(f"while {behind} >= 0"):
            emitter.say(f"{slot} = {behind}")
            following = f"l{self.number}[{slot}, BEHIND]"
            if where is not None:
                following = f"y{self.number}[{slot}, NEWER]"
            emitter.say(f"{behind} = {f'-1 if {slot} == {last} else ' if filling else ''}{following}")
            yield slot

    def put(self, values: Sequence[Value], emitter: Emitter, ordinal: str = "") -> None:
        """A new row."""
        number = self.number
        if self.is_single:
            self.store("g", range(len(values)), values, emitter)
            emitter.say(f"l{number}[g, GROUP] = g")
            emitter.say(f"l{number}[g, CHANGED] = 1")
            return
        slot = emitter.name()
        given = ordinal or f"m{number}[NEXT]"
        emitter.say(f"{slot} = take_slot(l{number}, h{number}, m{number}, g, {given})")
        if not ordinal:
            emitter.say(f"m{number}[NEXT] += 1")
        self.store(slot, range(len(values)), values, emitter)
        self.index(slot, emitter)

    def index(self, slot: str, emitter: Emitter) -> None:
        """Let a row be found."""
        if self.searched is not None:
            value, n = self.load(slot, self.searched, emitter), self.number
            with emitter.block(f"if not {value.null}"):
                emitter.say(f"put_key(x{n}, y{n}, m{n}, g, {value.code}, {slot})")

    def room(self) -> str:
        """For how many more rows there is room."""
        number = self.number
        slots = f"l{number}.shape[0] - m{number}[USED] + m{number}[SPARE]"
        keys = f"x{number}.shape[0] // 2 - m{number}[KEYS]"
        return slots if self.searched is None else f"min({slots}, {keys})"

    def size(self) -> str:
        """How many rows the group has, at most."""
        return "1" if self.is_single else f"h{self.number}[g, SIZE]"

    def drop(self, slot: str, emitter: Emitter) -> None:
        """Remove a row."""
        number = self.number
        if self.is_single:
            emitter.say(f"l{number}[{slot}, GROUP] = -1")
            emitter.say(f"l{number}[{slot}, CHANGED] = 1")
        else:
            if self.searched is not None:
                value = self.load(slot, self.searched, emitter)
                with emitter.block(f"if not {value.null}"):
                    emitter.say(f"drop_key(x{number}, y{number}, g, {value.code}, {slot})")
            emitter.say(f"drop_slot(l{number}, h{number}, m{number}, {slot})")

    def drop_all(self, emitter: Emitter) -> None:
        """Remove all rows of the group."""
        if self.is_single:
            self.drop("g", emitter)
        elif self.searched is not None:
            with self.rows(emitter) as slot:
                self.drop(slot, emitter)
        else:
            emitter.say(f"drop_all(l{self.number}, h{self.number}, m{self.number}, g)")

    def store(self, slot: str, columns: Sequence[int], values: Sequence[Value], emitter: Emitter) -> None:
        """Values of some columns of a row."""
        stored(self.layout, f"{self.number}", slot, columns, values, emitter)
        emitter.say(f"l{self.number}[{slot}, CHANGED] = 1")

    def load(self, slot: str, column: int, emitter: Emitter) -> Value:
        """The value of a column of a row."""
        return loaded(self.layout, f"{self.number}", slot, column, emitter)


def loaded(layout: Layout, suffix: str, row: str, column: int, emitter: Emitter) -> Value:
    """A value in a row of arrays."""
    kind, place = layout.places[column]
    if kind.family is Family.FLOAT:
        code = f"f{suffix}[{row}, {place}]"
        code = f"np.float32({code})" if kind.is_narrow else code
    else:
        code = f"i{suffix}[{row}, {place}]"
        code = f"{code} != 0" if kind.family is Family.BOOLEAN else code
    return Value(emitter.fresh(code), emitter.fresh(f"z{suffix}[{row}, {column}]"), kind)


def stored(
    layout: Layout, suffix: str, row: str, columns: Sequence[int], values: Sequence[Value], emitter: Emitter
) -> None:
    """Values in a row of arrays."""
    for column, value in zip(columns, values, strict=True):
        kind, place = layout.places[column]
        array = "f" if kind.family is Family.FLOAT else "i"
        code = f"(1 if {value.code} else 0)" if kind.family is Family.BOOLEAN else value.code
        if value.null != ALWAYS:
            emitter.say(f"{array}{suffix}[{row}, {place}] = {code}")
        elif kind.family is Family.BOOLEAN:
            emitter.say(f"{array}{suffix}[{row}, {place}] = 0")
        emitter.say(f"z{suffix}[{row}, {column}] = {value.null if value.null != NEVER else 'False'}")


def tables_of(schemas: Sequence[tuple[str, Schema]], body: Body) -> list[Table]:
    """The tables of a definition, in an order that states are saved by."""
    return [_table(name, number, Layout.of(schema), body) for number, (name, schema) in enumerate(schemas)]


def _table(name: str, number: int, layout: Layout, body: Body) -> Table:
    is_single = _holds_one_row(name, body)
    searched = None if is_single or name == INWINDOW else _searched(name, layout, body)
    return Table(name, number, layout, is_single, searched)


def _searched(name: str, layout: Layout, body: Body) -> int | None:
    """The column of a table that conditions compare with a value most often, if its values never change."""
    columns = [each.lower() for each in layout.schema.names]
    trees: list[exp.Expr] = []
    changed: set[str] = set()
    for action in body.actions():
        if isinstance(action, Update | Delete) and action.table.lower() == name.lower():
            trees += [] if action.condition is None else [action.condition]
        if isinstance(action, Update) and action.table.lower() == name.lower():
            changed |= {each.lower() for each in action.columns}
        trees += [
            where.this
            for root in roots_of(action)
            for select in root.find_all(exp.Select)
            if (where := select.args.get("where")) is not None
            and any(table.name.lower() == name.lower() for table in select.find_all(exp.Table))
        ]
    named = [
        side.name.lower()
        for tree in trees
        for each in conjuncts(tree)
        if isinstance(each, exp.EQ)
        for side in (each.left.unnest(), each.right.unnest())
        if isinstance(side, exp.Column) and side.table not in (TUPLE, OLDEST)
    ]
    fit = [
        column
        for column in columns
        if column in named
        and column not in changed
        and layout.places[columns.index(column)][0].family in _SEARCHED
    ]
    return columns.index(max(fit, key=named.count)) if fit else None


def conjuncts(tree: exp.Expr) -> list[exp.Expr]:
    """The conditions that all have to hold."""
    tree = tree.unnest()
    if isinstance(tree, exp.And):
        return [*conjuncts(tree.left), *conjuncts(tree.right)]
    return [tree]


def _holds_one_row(name: str, body: Body) -> bool:
    """Whether a table never has more than one row: a row enters where a group begins, and nowhere else."""
    entering = [
        (event, action)
        for event, actions in body.events.items()
        for action in actions
        if isinstance(action, InsertRows | InsertQuery) and action.table == name
    ]
    if len(entering) != 1:
        return False
    ((event, action),) = entering
    return event is Event.INITIALIZE and isinstance(action, InsertRows) and len(action.rows) == 1


def roots_of(action: Action) -> list[exp.Expr]:
    """The expressions of an action."""
    match action:
        case InsertRows():
            roots = [value for row in action.rows for value in row]
        case InsertQuery():
            return [action.query]
        case Update():
            roots = list(action.values)
        case Delete():
            roots = []
    return roots if action.condition is None else [*roots, action.condition]
