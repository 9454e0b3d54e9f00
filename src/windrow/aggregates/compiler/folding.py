"""DuckDB's aggregates over the rows of a table, folded row by row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from sqlglot import exp

from windrow.aggregates.compiler.emitting import NEVER, Emitter, Value
from windrow.aggregates.compiler.kinds import BIGINT, DOUBLE, WIDE, CannotCompile, Family
from windrow.aggregates.compiler.scalars import Scalars
from windrow.aggregates.compiler.typing import kind


class Fold(ABC):
    """An aggregate at work in generated code."""

    def __init__(self, call: exp.Expr, emitter: Emitter) -> None:
        self._call, self._emitter = call, emitter
        self._begin()

    @abstractmethod
    def _begin(self) -> None:
        """What stands before the loop."""

    @abstractmethod
    def take(self, scalars: Scalars) -> None:
        """What is done with a row."""

    @abstractmethod
    def result(self) -> Value:
        """What it comes to, behind the loop."""


class _Count(Fold):
    def _begin(self) -> None:
        self._number = self._emitter.name()
        self._emitter.say(f"{self._number} = 0")

    def take(self, scalars: Scalars) -> None:
        argument = self._call.this
        if isinstance(argument, exp.Star) or argument is None:
            self._emitter.say(f"{self._number} += 1")
            return
        value = scalars.value(argument)
        with self._emitter.block(f"if not ({value.null})"):
            self._emitter.say(f"{self._number} += 1")

    def result(self) -> Value:
        return Value(self._number, NEVER, BIGINT)


class _Sum(Fold):
    """SUM: of whole numbers in 128 bits."""

    def _begin(self) -> None:
        self._kind = kind(self._call.this)
        if self._kind.family not in (Family.INTEGER, Family.FLOAT):
            raise CannotCompile(f"sums of {self._kind.sql}")
        self._total, self._high, self._number = (self._emitter.name() for _ in range(3))
        zero = "0" if self._is_whole else "0.0"
        self._emitter.say(f"{self._total}, {self._high}, {self._number} = {zero}, 0, 0")

    @property
    def _is_whole(self) -> bool:
        return self._kind.family is Family.INTEGER

    def take(self, scalars: Scalars) -> None:
        value = scalars.value(self._call.this, self._kind)
        with self._emitter.block(f"if not ({value.null})"):
            if self._is_whole:
                wide = f"{self._high}, {self._total}"
                self._emitter.say(f"{wide} = add_wide({wide}, {value.code})")
            else:
                self._emitter.say(f"{self._total} += np.float64({value.code})")
            self._emitter.say(f"{self._number} += 1")

    def result(self) -> Value:
        null = self._emitter.fresh(f"{self._number} == 0")
        return Value(self._total, null, WIDE if self._is_whole else DOUBLE, self._high)


class _Average(_Sum):
    def result(self) -> Value:
        total = f"wide_to_float({self._high}, {self._total})" if self._is_whole else self._total
        null = self._emitter.fresh(f"{self._number} == 0")
        return Value(self._emitter.fresh(f"{total} / max({self._number}, 1)"), null, DOUBLE)


class _Chosen(Fold):
    """One of the values."""

    def _begin(self) -> None:
        self._kind = kind(self._call.this)
        self._value, self._null = self._emitter.name(), self._emitter.name()
        self._emitter.say(f"{self._value}, {self._null} = {self._kind.zero}, True")

    def take(self, scalars: Scalars) -> None:
        value = scalars.value(self._call.this, self._kind)
        with self._emitter.block(f"if {self._is_chosen(value)}"):
            self._emitter.say(f"{self._value}, {self._null} = {value.code}, {value.null}")

    def result(self) -> Value:
        return Value(self._value, self._null, self._kind)

    @abstractmethod
    def _is_chosen(self, value: Value) -> str: ...


class _Extreme(_Chosen):
    def _is_chosen(self, value: Value) -> str:
        if self._kind.family is Family.STRING:
            raise CannotCompile("the order of strings")
        first, second = value.code, self._value
        if isinstance(self._call, exp.Max):
            first, second = second, first
        is_float = self._kind.family is Family.FLOAT
        beats = f"less({first}, {second})" if is_float else f"{first} < {second}"
        return f"not ({value.null}) and ({self._null} or {beats})"


class _Any(_Chosen):
    def _is_chosen(self, value: Value) -> str:
        return f"{self._null} and not ({value.null})"


FOLDS: Mapping[type[exp.Expr], type[Fold]] = {
    exp.AnyValue: _Any,
    exp.Avg: _Average,
    exp.Count: _Count,
    exp.Max: _Extreme,
    exp.Min: _Extreme,
    exp.Sum: _Sum,
}
