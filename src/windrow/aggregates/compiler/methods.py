"""A class in Python as functions for numba: its attributes become variables, handed in and given back.

Only numbers and truth values can be attributes, arguments and results, and what begins as one kind of them
has to stay it. What types numba finds is kept beside the generated modules, for it takes a while to find.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import inspect
import json
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeAlias

from windrow.aggregate_body import Event
from windrow.aggregates.compiler.kinds import CannotCompile, Family, Kind, kind_of
from windrow.aggregates.compiler.loading import cache_folder, written
from windrow.aggregates.user_defined.in_python import class_of
from windrow.catalog import Aggregate, Share

Found: TypeAlias = tuple[str, bool]
"""A type, as numba calls it, and whether a value may be None."""

FLOAT, INTEGER, BOOLEAN = "float64", "int64", "boolean"
_SQL = {FLOAT: "DOUBLE", INTEGER: "BIGINT", BOOLEAN: "BOOLEAN"}
_NONE = "none"
_OF_FAMILY = {Family.FLOAT: FLOAT, Family.INTEGER: INTEGER, Family.BOOLEAN: BOOLEAN}
_FITTING = {FLOAT: (FLOAT,), INTEGER: (FLOAT, INTEGER), BOOLEAN: (BOOLEAN,)}
"""What columns take a result of a type as it is."""
_MODULES = ("math", "numpy")


@dataclass(frozen=True)
class Methods:
    """A class that can be compiled."""

    text: str
    """Its methods, as functions."""
    names: Mapping[Event, str]
    """Of the functions, by when they are called."""
    begins: Mapping[str, Any]
    """The attributes of a new instance."""
    types: Mapping[str, Found]
    """Of attributes."""
    returned: Mapping[str, Found]
    """By functions."""

    def columns(self) -> list[tuple[str, str]]:
        """The attributes as columns: names and types."""
        return [(name, _SQL[type_]) for name, (type_, _) in self.types.items()]


def methods_of(aggregate: Aggregate) -> Methods:
    """The methods of an aggregate in Python; CannotCompile says what keeps them from being compiled."""
    if aggregate.share is not Share.WHOLE:
        raise CannotCompile("merging")
    class_ = class_of(aggregate)
    begins = _attributes(class_)
    arguments = [_number_of(kind_of(field.type)) for field in aggregate.parameters]
    functions = _Functions(class_, begins)
    names = {
        Event.INITIALIZE: functions.of("initialize"),
        Event.ITERATE: functions.of("iterate"),
    }
    if hasattr(class_, "terminate"):
        names[Event.TERMINATE] = functions.of("terminate")
    if aggregate.window:
        names[Event.EXPIRE] = functions.of("expire" if hasattr(class_, "expire") else "inverse")
    text = "\n\n".join([*functions.globals, *functions.texts])
    types, returned = _typed(text, list(names.values()), begins, arguments)
    _check_returned(aggregate, returned)
    return Methods(text, names, begins, types, returned)


def _attributes(class_: Any) -> dict[str, Any]:
    """What a new instance has: numbers and truth values."""
    if class_.__mro__[1:] != (object,):
        raise CannotCompile("a class above it")
    begins = vars(class_())
    for name, value in begins.items():
        if type(value) not in (bool, int, float):
            raise CannotCompile(f"the attribute {name}, of type {type(value).__name__}")
    return dict(begins)


def _number_of(kind: Kind) -> str:
    if kind.family not in _OF_FAMILY or kind.high > kind_of("BIGINT").high:
        raise CannotCompile(f"the type {kind.sql}")
    return _OF_FAMILY[kind.family]


def _check_returned(aggregate: Aggregate, returned: Mapping[str, Found]) -> None:
    if len(aggregate.returns) != 1:
        raise CannotCompile("several columns")
    wanted = kind_of(aggregate.returns.fields[0].type)
    for type_, _ in returned.values():
        if type_ != _NONE and _number_of(wanted) not in _FITTING[type_]:
            raise CannotCompile(f"{type_} returned as {wanted.sql}")


class _Functions:
    """Writes methods as functions, those first that others call."""

    def __init__(self, class_: Any, begins: Mapping[str, Any]) -> None:
        self.texts: list[str] = []
        self.globals: list[str] = []
        self._class, self._begins = class_, begins
        self._names: dict[str, str] = {}
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(class_)))
        except (OSError, TypeError) as error:
            raise CannotCompile("a class without source") from error
        body = tree.body[0]
        assert isinstance(body, ast.ClassDef)
        self._methods = {each.name: each for each in body.body if isinstance(each, ast.FunctionDef)}

    def of(self, name: str) -> str:
        """The name of a method's function."""
        if name in self._names:
            return self._names[name]
        method = self._methods.get(name)
        if method is None or method.decorator_list:
            raise CannotCompile(f"the method {name}, which is no plain function")
        self._names[name] = f"method_{name}"
        arguments = [each.arg for each in method.args.args[1:]]
        plain = [*method.args.posonlyargs, *method.args.kwonlyargs, *method.args.defaults]
        if plain or method.args.vararg or method.args.kwarg:
            raise CannotCompile(f"the arguments of {name}")
        rewriting = _Rewriting(self, method, self._class, self._begins)
        body = [rewriting.visit(each) for each in method.body]
        head = f"def method_{name}({', '.join([*rewriting.variables, *arguments])}):"
        told = ast.unparse(ast.Module([each for each in body if each is not None], []))
        lines = [*told.splitlines(), f"return (None, {rewriting.state})"]
        for line in rewriting.globals:
            if line not in self.globals:
                self.globals.append(line)
        compiled = "@njit(nogil=True, error_model='python')"
        self.texts.append("\n".join([compiled, head, *(f"    {line}" for line in lines)]))
        return self._names[name]


class _Rewriting(ast.NodeTransformer):
    """A method as a function of the attributes, which it gives back behind its result."""

    def __init__(
        self, functions: _Functions, method: ast.FunctionDef, class_: Any, begins: Mapping[str, Any]
    ) -> None:
        self._functions, self._class, self._begins = functions, class_, begins
        self._self = method.args.args[0].arg
        self._known = {
            *(each.arg for each in method.args.args),
            *(
                each.id
                for each in ast.walk(method)
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            ),
        }
        self._of_module = vars(sys.modules[class_.__module__])
        self.variables = [f"self_{name}" for name in begins]
        self.state = ", ".join(self.variables) or "0"
        self.globals: list[str] = []

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if not (isinstance(node.value, ast.Name) and node.value.id == self._self):
            return self.generic_visit(node)
        if node.attr in self._begins:
            return ast.Name(f"self_{node.attr}", node.ctx)
        constant = getattr(self._class, node.attr, None)
        if type(constant) in (bool, int, float) and isinstance(node.ctx, ast.Load):
            return ast.Constant(constant)
        raise CannotCompile(f"the attribute {node.attr}")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == self._self:
            raise CannotCompile("self, which is handed on")
        if node.id not in self._known and not hasattr(builtins, node.id):
            self.globals.append(self._global(node.id))
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if (called := self._called(node.value)) is not None:
            return ast.Return(called)
        value = ast.Constant(None) if node.value is None else self.visit(node.value)
        state = ast.parse(f"({self.state},)", mode="eval").body
        assert isinstance(state, ast.Tuple)
        return ast.Return(ast.Tuple([value, *state.elts], ast.Load()))

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant):
            return ast.Pass()
        called = self._called(node.value)
        if called is None:
            return self.generic_visit(node)
        (assigned,) = ast.parse(f"_, {self.state if self.variables else '_'} = 0").body
        assert isinstance(assigned, ast.Assign)
        assigned.value = called
        return assigned

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.Pass()
        return ast.Assign([self.visit(node.target)], self.visit(node.value), lineno=node.lineno)

    def visit_While(self, node: ast.While) -> ast.AST:
        raise CannotCompile("a loop that may not end")

    def visit_Delete(self, node: ast.Delete) -> ast.AST:
        raise CannotCompile("del")

    def _called(self, value: ast.expr | None) -> ast.Call | None:
        """A call of another method, with all attributes."""
        if not isinstance(value, ast.Call) or value.keywords or not isinstance(value.func, ast.Attribute):
            return None
        owner = value.func.value
        if not (isinstance(owner, ast.Name) and owner.id == self._self):
            return None
        name = self._functions.of(value.func.attr)
        given = [ast.Name(each, ast.Load()) for each in self.variables]
        return ast.Call(ast.Name(name, ast.Load()), [*given, *map(self.visit, value.args)], [])

    def _global(self, name: str) -> str:
        """What makes a name known to the generated module."""
        value = self._of_module.get(name)
        if isinstance(value, ModuleType) and value.__name__ in _MODULES:
            return f"import {value.__name__} as {name}"
        if type(value) in (bool, int, float):
            return f"{name} = {value!r}"
        raise CannotCompile(f"the name {name}")


def _typed(
    text: str, names: list[str], begins: Mapping[str, Any], arguments: list[str]
) -> tuple[dict[str, Found], dict[str, Found]]:
    """The types of attributes and results, as they were found once or are found now."""
    asked = json.dumps(
        [text, names, {name: type(each).__name__ for name, each in begins.items()}, arguments]
    )
    name = f"types_{hashlib.sha256(asked.encode()).hexdigest()[:24]}.json"
    try:
        found = json.loads((cache_folder() / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        try:
            found = _inferred(text, names, begins, arguments)
        except CannotCompile as reason:
            found = str(reason)
        written(name, json.dumps(found))
    if isinstance(found, str):
        raise CannotCompile(found)
    types, returned = ({each: (type_, null) for each, (type_, null) in those.items()} for those in found)
    return types, returned


def _inferred(
    text: str, names: list[str], begins: Mapping[str, Any], arguments: list[str]
) -> tuple[dict[str, Found], dict[str, Found]]:
    """The types that numba finds. An attribute that begins whole and becomes a fraction is one, and what
    may become None may be it from the beginning."""
    import numba
    from numba.core.errors import NumbaError

    scope: dict[str, Any] = {"njit": numba.njit}
    exec(text, scope)
    kinds = {bool: BOOLEAN, int: INTEGER, float: FLOAT}
    types: dict[str, Found] = {name: (kinds[type(each)], False) for name, each in begins.items()}
    taken = [_numba_type((each, True)) for each in arguments]
    while True:
        given = [_numba_type(each) for each in types.values()]
        returned: dict[str, Found] = {}
        for name in names:
            own = tuple(given if name == "method_terminate" else [*given, *taken])
            try:
                scope[name].compile(own)
            except NumbaError as error:
                raise CannotCompile(f"what numba says: {_first_line(error)}") from error
            result, *state = scope[name].overloads[own].signature.return_type.types
            returned[name] = _found(result, "a result")
            becomes = {
                each: _wider(each, types[each], _found(type_, f"the attribute {each}"))
                for each, type_ in zip(types, state, strict=False)
            }
            if becomes != types:
                types = becomes
                break
        else:
            return types, returned


def _numba_type(found: Found) -> Any:
    from numba import types

    type_ = getattr(types, found[0])
    optional: Any = types.Optional
    return optional(type_) if found[1] else type_


def _found(type_: Any, what: str) -> Found:
    from numba import types

    may_be_none = isinstance(type_, types.Optional)
    unliteral: Any = types.unliteral
    inner = str(unliteral(type_.type if may_be_none else type_))
    if inner not in (FLOAT, INTEGER, BOOLEAN, _NONE) or (inner == _NONE and what != "a result"):
        raise CannotCompile(f"{what}, which is of numba's type {inner}")
    return inner, may_be_none


def _wider(name: str, one: Found, other: Found) -> Found:
    """What holds both."""
    kinds = {one[0], other[0]}
    if len(kinds) > 1 and kinds != {FLOAT, INTEGER}:
        raise CannotCompile(f"the attribute {name}, which becomes {other[0]}")
    return one[0] if len(kinds) == 1 else FLOAT, one[1] or other[1]


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith("Failed in")]
    return told[0] if told else type(error).__name__
