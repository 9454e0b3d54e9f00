"""Types of scalar expressions, as DuckDB binds them over an empty table of the input's columns."""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from windrow.errors import Span, StatementError, TypeMismatch, UnknownName
from windrow.language import engine
from windrow.language.casts import castable, specimen, spells
from windrow.language.engine import Fault
from windrow.language.names import did_you_mean
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
_TYPES_HINT = "types are those of DuckDB, as INTEGER or VARCHAR"
_WHATEVER_THE_VALUE = ("extract specifier", "Unimplemented type for cast")
_LITERALS = (("INTEGER_LITERAL", "INTEGER"), ("STRING_LITERAL", "VARCHAR"))


def type_scalars(expressions: Sequence[exp.Expr], schema: Schema, place: Placing) -> tuple[Field, ...]:
    """The type of each expression over a schema, and the name that DuckDB would give it."""
    known = [schema.find(each.name) if isinstance(each, exp.Column) else None for each in expressions]
    asked = [each for each, field in zip(expressions, known, strict=True) if field is None]
    typed = iter(_typed(asked, schema, place) if asked else ())
    return tuple(field or next(typed) for field in known)


def _typed(expressions: Sequence[exp.Expr], schema: Schema, place: Placing) -> Iterator[Field]:
    """The same of expressions that DuckDB has to look at."""
    try:
        asked = _Asked.of(expressions, schema)
        described = _describe(asked)
        _compute(asked)
    except Fault as fault:
        raise _error_of(expressions, schema, place, fault) from None
    for expression in expressions:
        _check_casts(expression, schema, place)
        for comparison in expression.find_all(exp.Predicate):
            _check_comparison(comparison, schema, place)
    return (Field(name, type_.replace('"NULL"', "INTEGER")) for name, type_ in described)


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
    return type_ if all(castable(other, type_) for other in types) else None


def column_type(written: Text) -> str:
    """The full name of a type as someone wrote it: INTEGER for int, VARCHAR for char(10)."""
    try:
        # The newline ends a comment, should the text hold one.
        ((_, type_),) = engine.describe(f"SELECT CAST(NULL AS {written.text}\n)")
    except Fault as fault:
        raise _unknown_type(written.text, fault, written.span) from None
    return type_


@dataclass(frozen=True, slots=True)
class _Asked:
    """Expressions, written once, and the columns that they name."""

    wanted: str
    named: Schema

    @classmethod
    def of(cls, expressions: Sequence[exp.Expr], schema: Schema) -> _Asked:
        named = schema.keep(column.name for each in expressions for column in each.find_all(exp.Column))
        return cls(", ".join(expression.sql(DIALECT) for expression in expressions), named)

    def over(self, value: Callable[[str], str]) -> str:
        """A SELECT over one tuple of these columns, and of no others."""
        columns = ", ".join(f"{value(field.type)} AS {_quoted(field.name)}" for field in self.named)
        return f"SELECT {self.wanted}{columns and f' FROM (SELECT {columns})'}"


def _describe(asked: _Asked) -> tuple[tuple[str, str], ...]:
    return engine.describe(asked.over(_null))


def _compute(asked: _Asked) -> None:
    """Find what fails whatever the tuple: it fails over NULLs, and in the same way over other values.

    NULLs hide a wrong unit of time, as in date_diff('dayz', …), and a cast that nothing carries out.
    """
    over_values = _failure(asked.over(specimen))
    if over_values is None:
        return
    if not over_values.message.startswith(_WHATEVER_THE_VALUE):
        over_nulls = _failure(asked.over(_null))
        if over_nulls is None or over_nulls.message != over_values.message:
            return
    raise over_values


@functools.lru_cache(maxsize=4096)
def _failure(select: str) -> Fault | None:
    try:
        engine.rows(select)
    except Fault as fault:
        return fault
    return None


Attempt = Callable[[_Asked], object]


def _null(type_: str) -> str:
    return f"CAST(NULL AS {type_})"


def _check_casts(expression: exp.Expr, schema: Schema, place: Placing) -> None:
    """Refuse a cast that nothing carries out."""
    casts = [
        cast
        for cast in expression.find_all(exp.Cast)
        if not isinstance(cast, exp.TryCast) and not cast.find_ancestor(exp.Lambda, exp.Comprehension)
    ]
    if not casts:
        return
    described = _describe(_Asked.of([each for cast in casts for each in (cast.this, cast)], schema))
    for cast, (_, source), (_, target) in zip(casts, described[::2], described[1::2], strict=True):
        if source != target and not castable(source, target):
            raise _no_cast(source, target, place(cast))


def _check_comparison(comparison: exp.Expr, schema: Schema, place: Placing) -> None:
    """Refuse a text that is compared with a column and is no value of the column's type."""
    sides = list(comparison.iter_expressions())
    texts = [side for side in sides if isinstance(side, exp.Literal) and side.is_string]
    columns = [
        field for side in sides if isinstance(side, exp.Column) and (field := schema.find(side.name))
    ]
    if not texts or not columns or isinstance(comparison, exp.Like | exp.ILike):
        return
    type_ = columns[0].type
    for text in texts:
        if not spells(text.name, type_):
            raise TypeMismatch(
                f"'{text.name}' cannot be read as {type_}", place(text), hint="write a value of that type"
            )


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(DIALECT)


def _error_of(
    expressions: Sequence[exp.Expr], schema: Schema, place: Placing, whole: Fault
) -> StatementError:
    for attempt in (_describe, _compute):
        for expression in expressions:
            if fault := _fault(expression, schema, attempt):
                culprit, fault = _smallest(expression, fault, schema, attempt)
                return explained(fault, place(culprit))
    return explained(whole, place(expressions[0]))


def _fault(expression: exp.Expr, schema: Schema, attempt: Attempt) -> Fault | None:
    try:
        attempt(_Asked.of([expression], schema))
    except Fault as fault:
        return fault
    return None


def _smallest(
    expression: exp.Expr, fault: Fault, schema: Schema, attempt: Attempt
) -> tuple[exp.Expr, Fault]:
    """A part that has no type although all parts of it have one: looked for by halves, for each look
    costs as much as the part is long."""
    right: set[int] = set()
    while part := _halfway(expression, right):
        worse = _fault(part, schema, attempt)
        if worse and worse.kind != "Parser":
            expression, fault = part, worse
        else:
            right.add(id(part))
    return expression, fault


def _halfway(expression: exp.Expr, right: Container[int]) -> exp.Expr | None:
    """The part, of those not known to be right, that has nearest to half of the others within it."""
    below: list[tuple[exp.Expr, int]] = [(expression, 0)]
    """Each part with the place of the one that it is in."""
    for place, (each, _) in enumerate(below):
        below += ((part, place) for part in _parts(each) if id(part) not in right)
    sizes = [1] * len(below)
    for place in range(len(below) - 1, 0, -1):
        sizes[below[place][1]] += sizes[place]
    candidates = range(1, len(below))
    found = min(candidates, key=lambda place: abs(2 * sizes[place] - len(below)), default=None)
    return None if found is None else below[found][0]


def _parts(expression: exp.Expr) -> Iterator[exp.Expr]:
    for child in expression.iter_expressions():
        if isinstance(child, exp.Condition) and not isinstance(child, _NOT_BOUND_ALONE):
            yield child


def explained(fault: Fault, span: Span) -> StatementError:
    """What DuckDB has against an expression, in our words."""
    if fault.subtype == "MISSING_ENTRY" and "Function" in fault.message:
        hint = did_you_mean(fault.name, sorted(engine.functions("scalar", "macro")))
        return UnknownName(f"there is no function '{fault.name}'", span, hint=hint)
    if fault.subtype == "MISSING_ENTRY" and fault.message.startswith("Type"):
        return _unknown_type(fault.name, fault, span)
    if fault.subtype == "NO_MATCHING_FUNCTION":
        return TypeMismatch(f"nothing computes {_call(fault)}", span, hint=_signatures(fault))
    if fault.kind == "Binder":
        return TypeMismatch(_plain(fault.message), span, hint="an explicit CAST may help")
    if fault.message.startswith("Unimplemented type for cast"):
        source, _, target = fault.message.partition("(")[2].rpartition(")")[0].partition(" -> ")
        return _no_cast(source, target, span)
    if fault.kind == "Conversion":
        return TypeMismatch(_plain(fault.message), span, hint="write a value of that type")
    return TypeMismatch(f"DuckDB refuses this: {_plain(fault.message)}", span)


def _no_cast(source: str, target: str, span: Span) -> TypeMismatch:
    return TypeMismatch(f"nothing casts {source} to {target}", span, hint="cast to another type first")


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
        return TypeMismatch(f"'{name}' is not a type", span, hint=_TYPES_HINT)
    hint = did_you_mean(name, [candidate.upper() for candidate in fault.candidates])
    return UnknownName(f"there is no type '{name}'", span, hint=hint or _TYPES_HINT)


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
