"""Values of one kind as values of another, as DuckDB casts them."""

from __future__ import annotations

from windrow.aggregates.compiler.emitting import ALWAYS, Emitter, Value, unless
from windrow.aggregates.compiler.kinds import CannotCompile, Family, Kind


def converted(value: Value, wanted: Kind, emitter: Emitter) -> Value:
    """A value as one of another kind; the action fails where it does not fit."""
    if value.kind.sql == wanted.sql:
        return value
    if value.null == ALWAYS:
        return Value(wanted.zero, ALWAYS, wanted)
    families = value.kind.family, wanted.family
    if families == (Family.INTEGER, Family.INTEGER):
        return _narrowed(value, wanted, emitter)
    if families == (Family.FLOAT, Family.INTEGER):
        return _rounded(value, wanted, emitter)
    if families == (Family.WIDE, Family.INTEGER):
        return _from_wide(value, wanted, emitter)
    code = _CODES.get(families)
    if code is None:
        raise CannotCompile(f"a cast of {value.kind.sql} to {wanted.sql}")
    text = code.format(value.code, value.high)
    if wanted.is_narrow and value.kind.family is Family.INTEGER:
        return Value(emitter.fresh(f"np.float32({value.code})"), value.null, wanted)
    if wanted.is_narrow:
        return _narrow_float(value, text, wanted, emitter)
    if wanted.family is Family.BOOLEAN:
        text = f"({text}){unless(value.null)}"
    return Value(emitter.fresh(text), value.null, wanted)


_CODES = {
    (Family.INTEGER, Family.FLOAT): "float({0})",
    (Family.FLOAT, Family.FLOAT): "np.float64({0})",
    (Family.WIDE, Family.FLOAT): "wide_to_float({1}, {0})",
    (Family.BOOLEAN, Family.INTEGER): "(1 if {0} else 0)",
    (Family.INTEGER, Family.BOOLEAN): "{0} != 0",
    (Family.FLOAT, Family.BOOLEAN): "{0} != 0",
}


def _fails(wanted: Kind) -> str:
    return f"Conversion Error: a value is out of range for {wanted.sql}"


def _narrowed(value: Value, wanted: Kind, emitter: Emitter) -> Value:
    if value.kind.low < wanted.low or value.kind.high > wanted.high:
        outside = f"({value.code} < {wanted.low} or {value.code} > {wanted.high})"
        emitter.fail_if(outside + unless(value.null), _fails(wanted))
    return Value(value.code, value.null, wanted)


def _rounded(value: Value, wanted: Kind, emitter: Emitter) -> Value:
    rounded = emitter.fresh(f"np.rint(np.float64({value.code}))")
    inside = f"({rounded} >= {float(wanted.low)!r} and {rounded} < {float(wanted.high + 1)!r})"
    emitter.fail_if(f"not {inside}{unless(value.null)}", _fails(wanted))
    return Value(emitter.fresh(f"(np.int64({rounded}) if {inside} else 0)"), value.null, wanted)


def _from_wide(value: Value, wanted: Kind, emitter: Emitter) -> Value:
    fits = f"{value.high} == (-1 if {value.code} < 0 else 0)"
    inside = f"{value.code} >= {wanted.low} and {value.code} <= {wanted.high}"
    emitter.fail_if(f"not ({fits} and {inside}){unless(value.null)}", _fails(wanted))
    return Value(value.code, value.null, wanted)


def _narrow_float(value: Value, code: str, wanted: Kind, emitter: Emitter) -> Value:
    wide = emitter.fresh(code)
    narrow = emitter.fresh(f"np.float32({wide})")
    lost = f"(np.isinf({narrow}) and not np.isinf({wide}))"
    emitter.fail_if(lost + unless(value.null), _fails(wanted))
    return Value(narrow, value.null, wanted)
