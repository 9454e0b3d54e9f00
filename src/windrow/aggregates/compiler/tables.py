"""The tables of an aggregate in generated code: loops over the rows of a group, columns, new rows.

A table that can only ever hold one row keeps it in the slot that has the number of its group. The arrays
of the table numbered t are called i, f, z (numbers, floating numbers, what is NULL), l, h and m (links,
heads and meta, as in `prelude`), each with t behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from windrow.aggregate_body import Body, Event, InsertQuery, InsertRows
from windrow.aggregates.compiler.emitting import ALWAYS, NEVER, Emitter, Value
from windrow.aggregates.compiler.kinds import Family, Layout
from windrow.schema import Schema


@dataclass(frozen=True, slots=True)
class Table:
    """A table and where it lies."""

    name: str
    number: int
    layout: Layout
    is_single: bool

    @contextmanager
    def rows(self, emitter: Emitter, *, filling: bool = False) -> Iterator[str]:
        """A loop over the rows of the group; gives the name of the slot, which may be dropped in it. With
        `filling`, rows enter meanwhile, and the loop does not come to them."""
        if self.is_single:
            with emitter.block(f"if l{self.number}[g, GROUP] >= 0"):
                yield "g"
            return
        slot, behind = emitter.name(), emitter.name()
        emitter.say(f"{behind} = h{self.number}[g, FIRST]")
        last = emitter.fresh(f"h{self.number}[g, LAST] + 0") if filling else ""
        with emitter.block(f"while {behind} >= 0"):
            emitter.say(f"{slot} = {behind}")
            following = f"l{self.number}[{slot}, BEHIND]"
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

    def room(self) -> str:
        """For how many more rows there is room."""
        number = self.number
        return f"l{number}.shape[0] - m{number}[USED] + m{number}[SPARE]"

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
            emitter.say(f"drop_slot(l{number}, h{number}, m{number}, {slot})")

    def drop_all(self, emitter: Emitter) -> None:
        """Remove all rows of the group."""
        if self.is_single:
            self.drop("g", emitter)
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
    return [
        Table(name, number, Layout.of(schema), _holds_one_row(name, body))
        for number, (name, schema) in enumerate(schemas)
    ]


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
