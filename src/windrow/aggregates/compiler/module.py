"""A definition as the text of a Python module, with one function that numba compiles: `run`."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from windrow.aggregate_body import INWINDOW, OLDEST, TUPLE, Event
from windrow.aggregates.compiler import prelude
from windrow.aggregates.compiler.actions import Actions, give_up
from windrow.aggregates.compiler.emitting import NEVER, Emitter, Value
from windrow.aggregates.compiler.kinds import BIGINT, CannotCompile, Family, Layout
from windrow.aggregates.compiler.methods import Methods, methods_of
from windrow.aggregates.compiler.queries import Queries
from windrow.aggregates.compiler.scalars import literal
from windrow.aggregates.compiler.tables import Table, loaded, stored, tables_of
from windrow.aggregates.user_defined.machine import Step
from windrow.catalog import Aggregate
from windrow.schema import Schema

_NUMBERS, _FLOATS, _FLAGS = "int64[:, ::1]", "float64[:, ::1]", "boolean[:, ::1]"
INDEX = len(Step)
"""A kind of step besides those that others know: the rows of a group are hashed."""
ARRIVED, EXPIRED, CHANGED = range(3)
"""The columns of what is known of each group."""


@dataclass(frozen=True)
class Module:
    """Generated code, and what has to be known to call it."""

    text: str
    arguments: Layout
    returns: Layout
    tables: tuple[Table, ...]
    """In the order of their numbers; the window is last."""
    reasons: tuple[str, ...]
    """Why an action may fail; codes count from 1."""
    strings: tuple[str, ...]
    """The strings whose codes the code wants to be told."""
    methods: tuple[str, ...] = ()
    """Of a class in Python, the methods by the codes that say which was called last."""

    @property
    def form(self) -> str:
        """What states have to be alike in, but for definitions in ESL, which say all."""
        attributes = self.tables[0].layout.schema if self.methods else ()
        return ", ".join(f"{each.name} {each.type}" for each in attributes)


def schemas_of(aggregate: Aggregate) -> list[tuple[str, Schema]]:
    """The tables that each group has: those that are declared, and the window."""
    body = aggregate.body
    assert body is not None
    schemas = [(table.name, table.schema) for table in body.tables]
    if aggregate.window:
        schemas.append((INWINDOW, body.window.schema if body.window else body.arguments))
    return schemas


def compiled(aggregate: Aggregate) -> Module:
    """The module of an aggregate; CannotCompile says what stands in the way."""
    if aggregate.body is None:
        return _MethodsWriter(aggregate, methods_of(aggregate)).module()
    if aggregate.body.calls:
        raise CannotCompile(f"a call of {', '.join(each.name for each in aggregate.body.calls.values())}")
    return _BodyWriter(aggregate).module()


class _Writer(ABC):
    """Writes the module of one aggregate."""

    def __init__(self, aggregate: Aggregate, tables: Sequence[Table]) -> None:
        self._arguments = Layout.of(aggregate.parameters)
        self._returns = Layout.of(aggregate.returns)
        self._tables = tables
        self._by_name = {table.name.lower(): table for table in tables}
        self._window = self._by_name.get(INWINDOW) if aggregate.window else None
        self._emitter = Emitter()

    @abstractmethod
    def _event(self, event: Event, leaving: str) -> None:
        """What is done at an event; `leaving` is the slot of the tuple that expires."""

    def module(self, before: str = "", methods: Sequence[str] = ()) -> Module:
        """The module, with some text before the function."""
        with self._emitter.block(f"def run({', '.join(self._parameters)})"):
            self._run()
        head = f"@njit({self._signature!r}, cache=True, nogil=True, error_model='numpy')"
        text = "\n".join([_PRELUDE, before, head, *self._emitter.lines, ""])
        return Module(
            text,
            self._arguments,
            self._returns,
            tuple(self._tables),
            tuple(self._emitter.reasons),
            tuple(self._emitter.strings),
            tuple(methods),
        )

    @property
    def _types(self) -> Mapping[str, str]:
        types = {
            "groups": "int64[::1]",
            "kinds": "int8[::1]",
            "heard": "boolean[::1]",
            "ia": _NUMBERS,
            "fa": _FLOATS,
            "za": _FLAGS,
            "words": "int64[::1]",
            "progress": "int64[::1]",
            "given": "int64[::1]",
            "io": _NUMBERS,
            "fo": _FLOATS,
            "zo": _FLAGS,
            "failed": _NUMBERS,
            "known": _NUMBERS,
        }
        for table in self._tables:
            kinds = {"i": _NUMBERS, "f": _FLOATS, "z": _FLAGS, "l": _NUMBERS}
            if not table.is_single:
                kinds |= {"h": _NUMBERS, "m": "int64[::1]"}
            if table.searched is not None:
                kinds |= {"x": _NUMBERS, "y": _NUMBERS}
            types |= {f"{kind}{table.number}": type_ for kind, type_ in kinds.items()}
        return types

    @property
    def _parameters(self) -> list[str]:
        return list(self._types)

    @property
    def _signature(self) -> str:
        return f"({', '.join(self._types.values())})"

    def _run(self) -> None:
        say = self._emitter.say
        say("step, row, count = progress[STEP], progress[ROW], progress[RETURNED]")
        say("at, fails = progress[ACTION], progress[FAILED]")
        with self._emitter.block("while step < groups.shape[0]"):
            say("g = groups[step]")
            say("kind = kinds[step]")
            say("err = 0")
            give_up(self._emitter, "failed.shape[0] - fails", "1", 0, -2)
            self._arrival()
            self._departure()
            with (
                self._emitter.block(f"elif kind == {Step.TERMINATE}"),
                self._emitter.block(f"if known[g, {ARRIVED}] > 0"),
            ):
                self._event(Event.TERMINATE, "")
            with self._emitter.block(f"elif kind == {Step.FORGET}"):
                self._forget()
            with self._emitter.block(f"elif kind == {INDEX}"):
                self._index()
            with self._emitter.block("if err"):
                say("failed[fails, 0], failed[fails, 1] = step, err")
                say("fails += 1")
            say("step += 1")
            say("at = 0")
        say("progress[STEP], progress[RETURNED], progress[FAILED] = step, count, fails")

    def _arrival(self) -> None:
        say = self._emitter.say
        with self._emitter.block(f"if kind == {Step.ARRIVE}"):
            values = [
                loaded(self._arguments, "a", "row", place, self._emitter)
                for place in range(len(self._arguments.places))
            ]
            with self._emitter.block("if at == 0"):
                if self._window is not None:
                    give_up(self._emitter, self._window.room(), "1", 0, self._window.number)
                    self._window.put(values, self._emitter, f"known[g, {ARRIVED}]")
                say(f"known[g, {ARRIVED}] += 1")
                say(f"known[g, {CHANGED}] = 1")
            say(f"ordinal = known[g, {ARRIVED}] - 1")
            names = [name.lower() for name in self._arguments.schema.names]
            self._given = dict(zip(names, values, strict=True))
            with self._emitter.block("if ordinal == 0"):
                self._event(Event.INITIALIZE, "")
            with self._emitter.block("else"):
                self._event(Event.ITERATE, "")
            say("row += 1")

    def _departure(self) -> None:
        say, window = self._emitter.say, self._window
        with self._emitter.block(f"elif kind == {Step.EXPIRE}"):
            if window is None:
                say("pass")
                return
            number = window.number
            say(f"ordinal = known[g, {EXPIRED}]")
            say(f"leaving = h{number}[g, FIRST]")
            there = f"leaving >= 0 and l{number}[leaving, ORDINAL] == ordinal"
            with self._emitter.block(f"if {there}"):
                self._event(Event.EXPIRE, "leaving")
                is_left = f"l{number}[leaving, GROUP] == g and l{number}[leaving, ORDINAL] == ordinal"
                with self._emitter.block(f"if {is_left}"):
                    window.drop("leaving", self._emitter)
            say(f"known[g, {EXPIRED}] = ordinal + 1")
            say(f"known[g, {CHANGED}] = 1")
            with self._emitter.block(f"if known[g, {ARRIVED}] == ordinal + 1"):
                self._forget()

    def _index(self) -> None:
        """Let the rows of a group be found."""
        self._emitter.say("pass")
        for table in self._tables:
            if table.searched is not None:
                with table.rows(self._emitter) as slot:
                    table.index(slot, self._emitter)

    def _forget(self) -> None:
        for table in self._tables:
            table.drop_all(self._emitter)
        self._emitter.say(f"known[g, {ARRIVED}] = 0")
        self._emitter.say(f"known[g, {EXPIRED}] = 0")
        self._emitter.say(f"known[g, {CHANGED}] = 1")


class _BodyWriter(_Writer):
    """Writes the actions of a definition in ESL."""

    def __init__(self, aggregate: Aggregate) -> None:
        assert aggregate.body is not None
        self._body = aggregate.body
        super().__init__(aggregate, tables_of(schemas_of(aggregate), self._body))

    def _event(self, event: Event, leaving: str) -> None:
        actions = self._body.events.get(event, ())
        if not actions:
            self._emitter.say("pass")
            return
        queries = Queries(self._emitter, self._by_name, self._qualified(leaving))
        writer = Actions(self._emitter, queries, self._by_name, self._returns)
        with self._emitter.block("while True"):
            for place, action in enumerate(actions, 1):
                writer.write(place, action)
            self._emitter.say("break")

    def _qualified(self, leaving: str) -> Mapping[str, Callable[[str], Value]]:
        """What the columns of the tuple, and of the oldest one, are."""

        def of_tuple(name: str) -> Value:
            if not leaving:
                return self._given[name.lower()]
            return self._in_window(leaving, self._arguments.schema, name)

        def of_oldest(name: str) -> Value:
            assert self._window is not None
            slot = leaving or self._emitter.fresh(f"h{self._window.number}[g, FIRST] + 0")
            return self._in_window(slot, self._window.layout.schema, name)

        return {TUPLE: of_tuple, OLDEST: of_oldest}

    def _in_window(self, slot: str, schema: Schema, name: str) -> Value:
        """A column of a tuple in the window, NULL if it is not there any more."""
        assert self._window is not None
        place = [each.lower() for each in schema.names].index(name.lower())
        number = self._window.number
        there = self._emitter.fresh(f"({slot} >= 0 and l{number}[max({slot}, 0), GROUP] == g)")
        value = self._window.load(f"max({slot}, 0)", place, self._emitter)
        null = self._emitter.fresh(f"({value.null} or not {there})")
        code = value.code
        if value.kind.zero == "False":
            code = self._emitter.fresh(f"({value.code} and {there})")
        return Value(code, null, value.kind)


class _MethodsWriter(_Writer):
    """Writes calls of the methods of a class: an instance's attributes are the row of a table."""

    def __init__(self, aggregate: Aggregate, methods: Methods) -> None:
        self._methods = methods
        attributes = Schema.of(*methods.columns())
        self._instance = Table("self", 0, Layout.of(attributes), is_single=True)
        window = Table(INWINDOW, 1, Layout.of(aggregate.parameters), is_single=False)
        super().__init__(aggregate, [self._instance, *([window] if aggregate.window else [])])

    def module(self, before: str = "", methods: Sequence[str] = ()) -> Module:
        names = [name.removeprefix("method_") for name in self._methods.names.values()]
        return super().module(self._methods.text, names)

    def _event(self, event: Event, leaving: str) -> None:
        name = self._methods.names.get(event)
        if name is None:
            self._emitter.say("pass")
            return
        if event is Event.INITIALIZE:
            self._instance.put([self._beginning(each) for each in self._methods.begins], self._emitter)
        say, (type_, may_be_none) = self._emitter.say, self._methods.returned[name]
        place = list(self._methods.names).index(event)
        if type_ != "none":
            give_up(self._emitter, "given.shape[0] - count", "1", 1, -1)
        say("progress[STEP], progress[ROW], progress[RETURNED] = step, row, count")
        say(f"progress[FAILED], progress[ACTION] = fails, {place}")
        before = [self._attribute(column) for column in range(len(self._methods.types))]
        after = [self._emitter.name() for _ in before]
        arguments = [] if event is Event.TERMINATE else self._passed(leaving)
        given = ", ".join([*before, *arguments])
        result = self._emitter.name()
        say(f"{result}, {', '.join(after) or '_'} = {name}({given})")
        for column, code in enumerate(after):
            self._keep(column, code)
        say(f"l{self._instance.number}[g, CHANGED] = 1")
        if type_ != "none":
            told = f" and {result} is not None" if may_be_none else ""
            with self._emitter.block(f"if heard[step]{told}"):
                self._return(result)

    def _attribute(self, column: int) -> str:
        """The value of an attribute."""
        value = self._instance.load("g", column, self._emitter)
        may_be_none = list(self._methods.types.values())[column][1]
        return self._emitter.fresh(f"None if {value.null} else {value.code}") if may_be_none else value.code

    def _keep(self, column: int, code: str) -> None:
        """A new value of an attribute."""
        kind, place = self._instance.layout.places[column]
        suffix = self._instance.number
        array = "f" if kind.family is Family.FLOAT else "i"
        stored_ = f"{array}{suffix}[g, {place}] = {code}"
        if list(self._methods.types.values())[column][1]:
            self._emitter.say(f"z{suffix}[g, {column}] = {code} is None")
            with self._emitter.block(f"if {code} is not None"):
                self._emitter.say(stored_)
        else:
            self._emitter.say(stored_)

    def _passed(self, leaving: str) -> list[str]:
        """The arguments: numbers, or None."""
        values = list(self._given.values())
        if leaving:
            assert self._window is not None
            columns = range(len(self._arguments.places))
            values = [self._window.load(leaving, column, self._emitter) for column in columns]
        passed = []
        for value in values:
            code = f"float({value.code})" if value.kind.family is Family.FLOAT else value.code
            passed.append(self._emitter.fresh(f"None if {value.null} else {code}"))
        return passed

    def _return(self, result: str) -> None:
        kind, _ = self._returns.places[0]
        self._emitter.say("given[count] = step")
        stored(self._returns, "o", "count", [0], [Value(result, NEVER, kind)], self._emitter)
        if kind.family is Family.INTEGER and kind.sql != BIGINT.sql:
            number = self._emitter.fresh("io[count, 0] + 0")
            with self._emitter.block(f"if {number} < {kind.low} or {number} > {kind.high}"):
                self._emitter.say(f"raise OverflowError('the result does not fit {kind.sql}')")
        self._emitter.say("count += 1")

    def _beginning(self, name: str) -> Value:
        kind, _ = self._instance.layout.places[list(self._methods.begins).index(name)]
        value = self._methods.begins[name]
        return Value(literal(value, kind), NEVER, kind)


def _prelude() -> str:
    """The source of `prelude`, its functions for numba."""
    source = inspect.getsource(prelude)
    body = source[source.index("BEFORE, BEHIND") :]
    body = re.sub(r"^def (\w+)\((.*)\) -> .*:$", _as_compiled, body, flags=re.MULTILINE)
    return f"import math\n\nimport numpy as np\nfrom numba import njit\n\n{body}"


def _as_compiled(found: re.Match[str]) -> str:
    names = ", ".join(each.partition(":")[0].strip() for each in found[2].split(", "))
    return f"@njit(nogil=True, error_model='numpy')\ndef {found[1]}({names}):"


_PRELUDE = _prelude()
