"""What a call takes, as ingredients in a ledger."""

from __future__ import annotations

from sqlglot import exp

from windrow.aggregates.calls import Call
from windrow.aggregates.distinct_values import distinct_values
from windrow.aggregates.ingredients import Condition, Floats, Integers, Presence, WideIntegers, as_number
from windrow.aggregates.ledger import Ledger


def is_plain(call: Call) -> bool:
    """Whether FILTER's condition, if any, is a column."""
    return call.where is None or call.filter_column() is not None


def counted(call: Call, ledger: Ledger) -> str | None:
    """The ingredient that tells which tuples count for a call of no more than one argument; None: all.

    Where there is a number, it tells; then what adds numbers needs no ingredient of its own.
    """
    column, where = call.only_column(), call.filter_column()
    if column is None:
        return None if where is None else ledger.ingredient(Condition(where))
    return ledger.ingredient(as_number(column, where, ledger.input) or Presence(column, where))


def counted_once(call: Call, ledger: Ledger) -> str:
    """The signs that count each value of the one column that a call takes once."""
    column = call.only_column()
    assert column is not None
    return distinct_values(column, call.filter_column(), ledger).signs


def number(call: Call, ledger: Ledger) -> Integers | WideIntegers | Floats | None:
    """The one argument of a call as a number; None where it is none."""
    column = call.only_column()
    if column is None or not is_plain(call):
        return None
    return as_number(column, call.filter_column(), ledger.input)


def counts_all(call: Call) -> bool:
    """Whether a call of COUNT takes nothing that could be NULL."""
    return all(isinstance(each, exp.Literal) for each in call.arguments)
