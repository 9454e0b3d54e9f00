"""Types of scalar expressions, as DuckDB binds them over an empty table of the input's columns."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterator, Sequence

from sqlglot import exp

from windrow.errors import Span, StatementError, TypeMismatch, UnknownName
from windrow.language import engine
from windrow.language.engine import Fault
from windrow.language.statements import Text
from windrow.language.tokens import DIALECT
from windrow.schema import Field, Schema

Placing = Callable[[exp.Expr], Span]

_NOT_BOUND_ALONE = (
    exp.Lambda,
    exp.Slice,
    exp.Kwarg,
    exp.PropertyEQ,
    exp.Ordered,
    exp.DataType,
    exp.Interval,
)
_LITERALS = (("INTEGER_LITERAL", "INTEGER"), ("STRING_LITERAL", "VARCHAR"))


def type_scalars(expressions: Sequence[exp.Expr], schema: Schema, place: Placing) -> tuple[Field, ...]:
    """The type of each expression over a schema, and the name that DuckDB would give it."""
    try:
        described = _describe(expressions, schema)
    except Fault:
        raise _error_of(expressions, schema, place) from None
    return tuple(Field(name, "INTEGER" if type_ == '"NULL"' else type_) for name, type_ in described)


@functools.lru_cache(maxsize=512)
def common_type(types: tuple[str, ...]) -> str | None:
    """The type that a UNION gives columns of these types; None if they have none in common."""
    if len(set(types)) == 1:
        return types[0]
    branches = " UNION ALL ".join(f"SELECT CAST(NULL AS {type_})" for type_ in dict.fromkeys(types))
    try:
        ((_, type_),) = engine.describe(branches)
    except Fault:
        return None
    return type_


def column_type(written: Text) -> str:
    """The full name of a type as someone wrote it: INTEGER for int, VARCHAR for char(10)."""
    try:
        # The newline ends a comment, should the text hold one.
        ((_, type_),) = engine.describe(f"SELECT CAST(NULL AS {written.text}\n)")
    except Fault as fault:
        raise _unknown_type(written.text, fault, written.span) from None
    return type_


def _describe(expressions: Sequence[exp.Expr], schema: Schema) -> tuple[tuple[str, str], ...]:
    columns = ", ".join(f"CAST(NULL AS {field.type}) AS {_quoted(field.name)}" for field in schema)
    wanted = ", ".join(expression.sql(DIALECT) for expression in expressions)
    return engine.describe(f"SELECT {wanted} FROM (SELECT {columns})")


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(DIALECT)


def _error_of(expressions: Sequence[exp.Expr], schema: Schema, place: Placing) -> StatementError:
    for expression in expressions:
        if fault := _fault(expression, schema):
            culprit, fault = _smallest(expression, fault, schema)
            return _explained(fault, place(culprit))
    raise AssertionError("expressions that have types one by one have them together")


def _fault(expression: exp.Expr, schema: Schema) -> Fault | None:
    try:
        _describe([expression], schema)
    except Fault as fault:
        return fault
    return None


def _smallest(expression: exp.Expr, fault: Fault, schema: Schema) -> tuple[exp.Expr, Fault]:
    """The deepest part that has no type although all parts of it have one."""
    for part in _parts(expression):
        if (worse := _fault(part, schema)) and worse.kind != "Parser":
            return _smallest(part, worse, schema)
    return expression, fault


def _parts(expression: exp.Expr) -> Iterator[exp.Expr]:
    for child in expression.iter_expressions():
        if isinstance(child, exp.Condition) and not isinstance(child, _NOT_BOUND_ALONE):
            yield child


def _explained(fault: Fault, span: Span) -> StatementError:
    if fault.subtype == "MISSING_ENTRY" and "Function" in fault.message:
        hint = _nearest(fault.name, engine.functions("scalar", "macro"))
        return UnknownName(f"there is no function '{fault.name}'", span, hint=hint)
    if fault.subtype == "MISSING_ENTRY" and fault.message.startswith("Type"):
        return _unknown_type(fault.name, fault, span)
    if fault.subtype == "NO_MATCHING_FUNCTION":
        return TypeMismatch(f"nothing computes {_call(fault)}", span, hint=_signatures(fault))
    return TypeMismatch(_plain(fault.message), span, hint="an explicit CAST may help")


def _call(fault: Fault) -> str:
    """The call without a fit, as +(DATE, INTEGER[])."""
    _, _, rest = fault.message.partition("'")
    return _without_literals(rest.partition("'")[0])


def _signatures(fault: Fault) -> str:
    lines = [line.strip() for line in fault.message.split("\n")[2:] if " -> " in line]
    if 0 < len(lines) <= 3:
        return f"there is {' and '.join(line.replace(', /)', ')') for line in lines)}"
    return "an explicit CAST may help"


def _unknown_type(name: str, fault: Fault, span: Span) -> StatementError:
    if fault.subtype != "MISSING_ENTRY":
        return TypeMismatch(
            f"'{name}' is not a type", span, hint="types are those of DuckDB, as INTEGER or VARCHAR"
        )
    near = fault.candidates[0].upper() if fault.candidates else None
    return UnknownName(f"there is no type '{name}'", span, hint=near and f"did you mean {near}?")


def _nearest(name: str, known: frozenset[str]) -> str | None:
    near = difflib.get_close_matches(name.lower(), sorted(known), n=1)
    return f"did you mean {near[0]}?" if near else None


def _plain(message: str) -> str:
    first = _without_literals(message.partition("\n")[0])
    for remark in (" - an explicit cast is required", " You might need to add explicit type casts."):
        first = first.replace(remark, "")
    first = first.rstrip(".!")
    return f"{first[:1].lower()}{first[1:]}" if first[1:2].islower() else first


def _without_literals(text: str) -> str:
    for literal, type_ in _LITERALS:
        text = text.replace(literal, type_)
    return text
