"""Expressions as code: each becomes a variable with its value, and one that tells whether it is NULL.

Arithmetic is DuckDB's: of whole numbers it fails where a result does not fit its type, or where they are
divided by zero; of floating ones it goes on with infinities and NaN, which equals itself and is greater
than all else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from windrow.aggregates.compiler.casting import converted
from windrow.aggregates.compiler.emitting import ALWAYS, NEVER, Emitter, Value, either, unless
from windrow.aggregates.compiler.kinds import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    CannotCompile,
    Family,
    Kind,
)
from windrow.aggregates.compiler.typing import common_kind, is_constant, kind, value_of

Others = Callable[[exp.Expr], Value | None]
"""What a node that is none of these stands for: a column, a query, an aggregate; None if it is a plain
expression."""

_OVERFLOWS = {exp.Add: "add_overflows", exp.Sub: "subtract_overflows", exp.Mul: "multiply_overflows"}
_SIGNS = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}
_WORDS = {exp.Add: "addition", exp.Sub: "subtraction", exp.Mul: "multiplication"}
_COMPARISONS = {exp.EQ: "==", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
_FLOAT_COMPARISONS = {
    exp.EQ: "same({0}, {1})",
    exp.NEQ: "not same({0}, {1})",
    exp.LT: "less({0}, {1})",
    exp.LTE: "not less({1}, {0})",
    exp.GT: "less({1}, {0})",
    exp.GTE: "not less({0}, {1})",
}
_OF_DOUBLE = {
    exp.Sqrt: "np.sqrt({})",
    exp.Exp: "np.exp({})",
    exp.Ln: "np.log({})",
    exp.Floor: "np.floor({})",
    exp.Ceil: "np.ceil({})",
}


def literal(value: Any, kind_: Kind) -> str:
    """A number or a truth value as code writes it."""
    if kind_.family is not Family.FLOAT:
        return repr(value)
    text = repr(float(value))
    text = text.replace("inf", "np.inf").replace("nan", "np.nan")
    return f"np.float32({text})" if kind_.is_narrow else text


class Scalars:
    """Writes expressions."""

    def __init__(self, emitter: Emitter, others: Others) -> None:
        self._emitter, self._others = emitter, others

    def value(self, node: exp.Expr, wanted: Kind | None = None) -> Value:
        """The value of an expression, as one of a kind if that is given."""
        while isinstance(node, exp.Paren):
            node = node.this
        if is_constant(node):
            return self._constant(node, wanted or kind(node))
        found = self._others(node) or self._computed(node)
        return found if wanted is None else converted(found, wanted, self._emitter)

    def truth(self, node: exp.Expr) -> str:
        """Whether a condition is true."""
        return self.value(node, BOOLEAN).code

    def held(self, code: str, null: str, kind_: Kind) -> Value:
        """A value in variables of its own."""
        null = self._emitter.fresh(null) if null not in (NEVER, ALWAYS) else null
        if kind_.family is Family.BOOLEAN and null != NEVER:
            code = f"({code}){unless(null)}"
        return Value(self._emitter.fresh(code), null, kind_)

    def _constant(self, node: exp.Expr, wanted: Kind) -> Value:
        value = value_of(node, wanted)
        if value is None:
            return Value(wanted.zero, ALWAYS, wanted)
        if wanted.family is Family.STRING:
            return Value(self._emitter.string(value), NEVER, wanted)
        if wanted.family is Family.WIDE:
            raise CannotCompile("the type HUGEINT")
        return Value(literal(value, wanted), NEVER, wanted)

    def _computed(self, node: exp.Expr) -> Value:
        for types, write in self._WRITERS:
            if isinstance(node, types):
                return write(self, node)
        name = (
            node.name
            if isinstance(node, exp.Anonymous)
            else node.sql_name()
            if isinstance(node, exp.Func)
            else ""
        )
        raise CannotCompile(f"{name.lower()}()" if name else f"the expression {node.sql('duckdb')}")

    def _arithmetic(self, node: exp.Binary) -> Value:
        result = kind(node)
        if result.family in (Family.INTERVAL, Family.INSTANT):
            return self._time(node, result)
        if result.family not in (Family.INTEGER, Family.FLOAT):
            raise CannotCompile(f"arithmetic of {result.sql}")
        left, right = self.value(node.left, result), self.value(node.right, result)
        null = either(left.null, right.null)
        code = f"{left.code} {_SIGNS[type(node)]} {right.code}"
        if result.family is Family.FLOAT:
            return self.held(f"np.float32({code})" if result.is_narrow else code, null, result)
        reason = f"Out of Range Error: Overflow in {_WORDS[type(node)]} of {result.sql}"
        if result.sql == BIGINT.sql:
            overflows = f"{_OVERFLOWS[type(node)]}({left.code}, {right.code})"
            self._emitter.fail_if(overflows + unless(null), reason)
        value = self.held(code, null, result)
        if result.sql != BIGINT.sql:
            outside = f"({value.code} < {result.low} or {value.code} > {result.high})"
            self._emitter.fail_if(outside + unless(null), reason)
        return value

    def _time(self, node: exp.Binary, result: Kind) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        families = {left.kind.family, right.kind.family}
        months = any(
            isinstance(each, exp.Interval) and "MONTH" in each.sql().upper() for each in node.walk()
        )
        stamps = all(each.kind.sql in ("TIMESTAMP", "INTERVAL") for each in (left, right))
        if not stamps or months or families == {Family.INTERVAL} or not isinstance(node, exp.Add | exp.Sub):
            raise CannotCompile(f"arithmetic of {left.kind.sql} and {right.kind.sql}")
        return self.held(
            f"{left.code} {_SIGNS[type(node)]} {right.code}", either(left.null, right.null), result
        )

    def _division(self, node: exp.Binary) -> Value:
        """What is rounded: // and %."""
        result = kind(node)
        left, right = self.value(node.left, result), self.value(node.right, result)
        null = either(left.null, right.null)
        if result.family is Family.FLOAT and isinstance(node, exp.Mod):
            code = f"float_remainder({left.code}, {right.code})"
            return self.held(f"np.float32({code})" if result.is_narrow else code, null, result)
        if result.family is not Family.INTEGER:
            raise CannotCompile(f"arithmetic of {result.sql}")
        self._emitter.fail_if(f"{right.code} == 0{unless(null)}", "Invalid Input Error: Division by zero")
        overflow = f"({left.code} == {result.low} and {right.code} == -1)"
        if result.low:
            reason = f"Out of Range Error: Overflow in division of {result.sql}"
            self._emitter.fail_if(overflow + unless(null), reason)
        name = "remainder" if isinstance(node, exp.Mod) else "divided"
        return self.held(f"{name}({left.code}, {right.code})", null, result)

    def _negation(self, node: exp.Neg) -> Value:
        result = kind(node)
        value = self.value(node.this, result)
        if result.family is Family.FLOAT:
            return self.held(f"-{value.code}", value.null, result)
        if result.family is not Family.INTEGER or not result.low:
            raise CannotCompile(f"arithmetic of {result.sql}")
        return self._signless("-{0}", value)

    def _absolute(self, node: exp.Abs) -> Value:
        result = kind(node)
        value = self.value(node.this, result)
        if result.family is Family.FLOAT:
            return self.held(f"abs({value.code})", value.null, result)
        if result.family is not Family.INTEGER:
            raise CannotCompile(f"abs() of {result.sql}")
        return self._signless("abs({0})", value)

    def _signless(self, pattern: str, value: Value) -> Value:
        least = f"{value.code} == {value.kind.low}"
        reason = f"Out of Range Error: Overflow in negation of {value.kind.sql}"
        if value.kind.low:
            self._emitter.fail_if(least + unless(value.null), reason)
        return self.held(pattern.format(value.code), value.null, value.kind)

    def _comparison(self, node: exp.Binary) -> Value:
        at = common_kind(node.left, node.right)
        left, right = self.value(node.left, at), self.value(node.right, at)
        return self.held(self._compared(type(node), left, right), either(left.null, right.null), BOOLEAN)

    def _compared(self, operator: type[exp.Binary], left: Value, right: Value) -> str:
        if left.kind.family is Family.STRING and operator not in (exp.EQ, exp.NEQ):
            raise CannotCompile("the order of strings")
        if left.kind.family is Family.WIDE:
            raise CannotCompile("the type HUGEINT")
        if left.kind.family is Family.FLOAT:
            return _FLOAT_COMPARISONS[operator].format(left.code, right.code)
        return f"{left.code} {_COMPARISONS[operator]} {right.code}"

    def _distinctness(self, node: exp.Binary) -> Value:
        """IS [NOT] DISTINCT FROM, which is never NULL."""
        at = common_kind(node.left, node.right)
        left, right = self.value(node.left, at), self.value(node.right, at)
        equal = self._compared(exp.EQ, left, right)
        same = (
            f"(({left.null}) and ({right.null})) or (not ({left.null}) and not ({right.null}) and {equal})"
        )
        return self.held(same if isinstance(node, exp.NullSafeEQ) else f"not ({same})", NEVER, BOOLEAN)

    def _is(self, node: exp.Is) -> Value:
        if isinstance(node.expression, exp.Null):
            return self.held(self.value(node.this).null, NEVER, BOOLEAN)
        if not isinstance(node.expression, exp.Boolean):
            raise CannotCompile(f"the expression {node.sql('duckdb')}")
        value = self.value(node.this, BOOLEAN)
        is_ = value.code if node.expression.this else f"not {value.code}{unless(value.null)}"
        return self.held(is_, NEVER, BOOLEAN)

    def _and(self, node: exp.And) -> Value:
        left, right = self.value(node.left, BOOLEAN), self.value(node.right, BOOLEAN)
        null = _nulls((left.null, right.null), (left.null, right.code), (right.null, left.code))
        return self.held(f"{left.code} and {right.code}", null, BOOLEAN)

    def _or(self, node: exp.Or) -> Value:
        left, right = self.value(node.left, BOOLEAN), self.value(node.right, BOOLEAN)
        value = self._emitter.fresh(f"({left.code} or {right.code})")
        null = either(left.null, right.null)
        return Value(
            value, null if null == NEVER else self._emitter.fresh(f"(not {value} and ({null}))"), BOOLEAN
        )

    def _not(self, node: exp.Not) -> Value:
        value = self.value(node.this, BOOLEAN)
        return self.held(f"not {value.code}", value.null, BOOLEAN)

    def _between(self, node: exp.Between) -> Value:
        low = exp.GTE(this=node.this.copy(), expression=node.args["low"].copy())
        high = exp.LTE(this=node.this.copy(), expression=node.args["high"].copy())
        return self.value(exp.And(this=low, expression=high))

    def _in(self, node: exp.In) -> Value:
        if not node.expressions:
            raise CannotCompile("IN of a query")
        equal = [exp.EQ(this=node.this.copy(), expression=each.copy()) for each in node.expressions]
        return self.value(exp.or_(*equal, copy=False))

    def _cast(self, node: exp.Cast) -> Value:
        if isinstance(node, exp.TryCast):
            raise CannotCompile("try_cast()")
        return self.value(node.this, kind(node))

    def _case(self, node: exp.Case) -> Value:
        result = kind(node)
        value, null, open_ = self._emitter.name(), self._emitter.name(), self._emitter.name()
        self._emitter.say(f"{value}, {null}, {open_} = {result.zero}, True, True")
        for branch in node.args["ifs"]:
            condition = branch.this
            if node.this is not None:
                condition = exp.EQ(this=node.this.copy(), expression=condition.copy())
            with self._emitter.block(f"if {open_}"):
                truth = self.truth(condition)
                with self._emitter.block(f"if {truth}"):
                    self._emitter.say(f"{open_} = False")
                    self._assign(branch.args["true"], result, value, null)
        if (default := node.args.get("default")) is not None:
            with self._emitter.block(f"if {open_}"):
                self._assign(default, result, value, null)
        return Value(value, null, result)

    def _if(self, node: exp.If) -> Value:
        branch = exp.If(this=node.this.copy(), true=node.args["true"].copy())
        default = node.args.get("false")
        return self._case(exp.Case(ifs=[branch], default=default.copy() if default else None))

    def _coalesce(self, node: exp.Coalesce) -> Value:
        result = kind(node)
        value, null = self._emitter.name(), self._emitter.name()
        self._emitter.say(f"{value}, {null} = {result.zero}, True")
        for each in [node.this, *node.expressions]:
            with self._emitter.block(f"if {null}"):
                self._assign(each, result, value, null)
        return Value(value, null, result)

    def _assign(self, node: exp.Expr, as_: Kind, value: str, null: str) -> None:
        found = self.value(node, as_)
        self._emitter.say(f"{value}, {null} = {found.code}, {found.null}")

    def _nullif(self, node: exp.Nullif) -> Value:
        value = self.value(node.this, kind(node))
        equal = self.truth(exp.EQ(this=node.this.copy(), expression=node.expression.copy()))
        return self.held(value.code, either(value.null, equal), value.kind)

    def _extreme(self, node: exp.Least | exp.Greatest) -> Value:
        """LEAST and GREATEST, which look at what is there."""
        result = kind(node)
        operator = exp.LT if isinstance(node, exp.Least) else exp.GT
        value, null = self._emitter.name(), self._emitter.name()
        self._emitter.say(f"{value}, {null} = {result.zero}, True")
        for each in [node.this, *node.expressions]:
            other = self.value(each, result)
            beats = self._compared(operator, other, Value(value, null, result))
            with self._emitter.block(f"if not ({other.null}) and ({null} or {beats})"):
                self._emitter.say(f"{value}, {null} = {other.code}, False")
        return Value(value, null, result)

    def _of_double(self, node: exp.Func) -> Value:
        if kind(node).sql != DOUBLE.sql:
            raise CannotCompile(f"{node.sql_name().lower()}() of {kind(node).sql}")
        value = self.value(node.this, DOUBLE)
        return self.held(_OF_DOUBLE[type(node)].format(value.code), value.null, DOUBLE)

    def _power(self, node: exp.Pow) -> Value:
        left, right = self.value(node.this, DOUBLE), self.value(node.expression, DOUBLE)
        return self.held(f"np.power({left.code}, {right.code})", either(left.null, right.null), DOUBLE)

    _WRITERS: tuple[tuple[tuple[type[exp.Expr], ...], Callable[..., Value]], ...] = (
        ((exp.Add, exp.Sub, exp.Mul, exp.Div), _arithmetic),
        ((exp.IntDiv, exp.Mod), _division),
        ((exp.Neg,), _negation),
        ((exp.Abs,), _absolute),
        (tuple(_COMPARISONS), _comparison),
        ((exp.NullSafeEQ, exp.NullSafeNEQ), _distinctness),
        ((exp.Is,), _is),
        ((exp.And,), _and),
        ((exp.Or,), _or),
        ((exp.Not,), _not),
        ((exp.Between,), _between),
        ((exp.In,), _in),
        ((exp.Cast,), _cast),
        ((exp.Case,), _case),
        ((exp.If,), _if),
        ((exp.Coalesce,), _coalesce),
        ((exp.Nullif,), _nullif),
        ((exp.Least, exp.Greatest), _extreme),
        (tuple(_OF_DOUBLE), _of_double),
        ((exp.Pow,), _power),
    )


def _nulls(*pairs: tuple[str, str]) -> str:
    """Whether both of any pair hold; the first of each is known to be a NULL's."""
    terms = [f"({left} and {right})" for left, right in pairs if NEVER not in (left, right)]
    return " or ".join(terms) or NEVER
