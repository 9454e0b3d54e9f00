"""Base aggregates of the user's own as functions of lists: so DuckDB calls them in its statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from windrow.aggregates.parts import Failure
from windrow.aggregates.user_defined.fresh import values_of_lists
from windrow.aggregates.user_defined.machine import Ints, Machine
from windrow.buffers.keys import KeyCodes
from windrow.catalog import Aggregate
from windrow.expressions.engine import Compute, Function
from windrow.schema import Field, Schema

_LIST = "__list"

MachineFor = Callable[[Aggregate], Machine]
"""Makes a machine that remembers nothing yet."""
Halt = Callable[[Failure], None]
"""Told of an aggregate that cannot go on."""


def over_list(call: exp.Expr, function: str, parameters: Schema) -> exp.Expr:
    """agg([DISTINCT] x) FILTER (…) as a function of list(x) FILTER (…)."""
    call = call.copy()
    inner = call.this if isinstance(call, exp.Filter) else call
    given = inner.expressions
    if given and isinstance(given[0], exp.Distinct):
        given = given[0].expressions
    taken = [
        exp.PropertyEQ(
            this=exp.to_identifier(field.name, quoted=True),
            expression=exp.cast(argument, field.type, dialect="duckdb"),
        )
        for argument, field in zip(given or [exp.Literal.number(0)], _fields(parameters), strict=True)
    ]
    collected: exp.Expr = exp.Anonymous(this="list", expressions=[exp.Struct(expressions=taken)])
    if isinstance(call, exp.Filter):
        collected = exp.Filter(this=collected, expression=call.expression)
    return exp.Anonymous(this=exp.to_identifier(function, quoted=True), expressions=[collected])


def list_function(
    name: str,
    called: Aggregate,
    machine_for: MachineFor,
    *,
    distinct: bool = False,
    halt: Halt | None = None,
) -> Function:
    """An aggregate as a function of lists of its arguments; of a DISTINCT the first of equals counts."""
    fields = ", ".join(f"{field.name} {field.type}" for field in _fields(called.parameters))
    compute = _compute(called, machine_for, distinct, halt)
    return Function(name, compute, f"STRUCT({fields})[]", called.type)


def _fields(parameters: Schema) -> list[Field]:
    """The columns of what is listed; there is one at least."""
    fields = [Field(f"a{place}", field.type) for place, field in enumerate(parameters)]
    return fields or [Field("a0", "INTEGER")]


def _compute(called: Aggregate, machine_for: MachineFor, distinct: bool, halt: Halt | None) -> Compute:
    def values(lists: pa.ChunkedArray[Any]) -> pa.Array[Any]:
        column: Any = lists.combine_chunks()
        lengths = column.value_lengths().fill_null(0).to_numpy().astype(np.int64)
        columns = column.flatten().flatten()[: len(called.parameters)]
        arguments = pa.table(columns, schema=called.parameters.arrow)
        if distinct:
            lengths, arguments = _first_of_equals(lengths, arguments, called.parameters)
        return values_of_lists(called, machine_for(called), lengths, arguments, halt)

    return values


def _first_of_equals(lengths: Ints, arguments: pa.Table, parameters: Schema) -> tuple[Ints, pa.Table]:
    lists = np.repeat(np.arange(len(lengths)), lengths)
    seen = KeyCodes(Schema((Field(_LIST, "BIGINT"), *parameters)))
    codes = seen.codes(arguments.append_column(_LIST, pa.array(lists)))
    first = np.sort(np.unique(codes, return_index=True)[1])
    return np.bincount(lists[first], minlength=len(lengths)), arguments.take(first)
