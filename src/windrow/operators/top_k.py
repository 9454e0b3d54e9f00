"""The first so many of the live tuples in an order, told anew as far as they change.

All live tuples are ranked, in a tree, so that whoever is the next is known when one of the first goes.
Their places come of keys that DuckDB makes of the order's expressions and, so that equal keys are equal
tuples, of all columns; where these are small numbers, a word of each is key enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sqlglot import exp

from windrow.aggregates.extremes import ranks_of
from windrow.aggregates.tuples import one_array
from windrow.buffers.parts import State, under, within
from windrow.buffers.ranking import Keys, Ranking
from windrow.buffers.slots import SlottedRows
from windrow.delta import Delta
from windrow.expressions.engine import INPUT, ask
from windrow.expressions.sorting import direction
from windrow.expressions.statement import as_sql
from windrow.operators.base import Operator
from windrow.operators.ending import Ending
from windrow.plan.grouping import TopK
from windrow.schema import Schema

_HALF = 32
_TOP = np.uint64(1 << 63)


class TopKOperator(Operator):
    """Runs a TopK node."""

    def __init__(self, node: TopK) -> None:
        self._node = node
        self._ending = Ending(node.input, scanned=node.scanned)
        self._rows = SlottedRows(node.schema.arrow)
        self._order = _order(node.order, node.schema)
        self._keys = f"SELECT {_sort_key(self._order, node.schema)} AS key FROM {INPUT}"
        self._has_words = all(_is_word(each, node.schema) for each, _ in self._order)
        self._ranking = self._new_ranking()

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        (delta,) = inputs
        changes = self._ending.signed(delta)
        assert changes.sign is not None
        entering = changes.sign > 0
        slots = np.full(len(changes), -1)
        slots[entering] = self._rows.enter(changes.rows.filter(pa.array(entering)))
        crossings = self._ranking.change(
            changes.ts, changes.sign, slots, self._keys_of(changes.rows), self._rows.capacity
        )
        rows = self._rows.take(crossings.slots)
        self._rows.release(slots[~entering])
        return Delta(delta.clock, rows, crossings.instants, None, crossings.signs)

    @property
    def probes(self) -> int | None:
        return self._ending.probes

    def save(self) -> State:
        return {**under("ending", self._ending.save()), **under("rows", self._rows.save())}

    def restore(self, state: State) -> None:
        if ending := within("ending", state):
            self._ending.restore(ending)
        if not (saved := within("rows", state)):
            return
        self._rows.restore(saved)
        slots = self._rows.live()
        ones, keys = np.ones(len(slots), np.int8), self._keys_of(self._rows.take(slots))
        self._ranking.change(np.zeros(len(slots), np.int64), ones, slots.copy(), keys, self._rows.capacity)

    def _new_ranking(self) -> Ranking:
        limit, offset = self._node.limit, self._node.offset
        return Ranking(offset, None if limit is None else offset + limit)

    def _keys_of(self, rows: pa.Table) -> Keys:
        if self._has_words:
            return np.column_stack([_words(rows[each.name], how) for each, how in self._order])
        if not len(rows):
            return pa.array([], pa.binary())
        return ask(self._keys, rows)["key"].combine_chunks()


def _order(order: Sequence[exp.Ordered], schema: Schema) -> list[tuple[exp.Expr, str]]:
    """By what tuples are sorted, and how: in the end by all columns."""
    ordered = {each.this.name.lower() for each in order if isinstance(each.this, exp.Column)}
    rest = (exp.column(name, quoted=True) for name in schema.names if name.lower() not in ordered)
    parts = [(each.this, direction(each)) for each in order]
    return parts + [(each, "ASC NULLS LAST") for each in rest]


def _is_word(expression: exp.Expr, schema: Schema) -> bool:
    """Whether its values, and one more for NULL, are no more than words can tell apart."""
    if not isinstance(expression, exp.Column) or (field := schema.find(expression.name)) is None:
        return False
    type_ = field.arrow.type
    if pa.types.is_integer(type_):
        return bool(type_.bit_width <= _HALF)
    return bool(pa.types.is_floating(type_) or pa.types.is_boolean(type_) or pa.types.is_date32(type_))


def _words(column: pa.ChunkedArray[Any], how: str) -> npt.NDArray[np.uint64]:
    """Words that sort as values do."""
    values = one_array(column)
    words = ranks_of(values, turned=how.startswith("DESC")).view(np.uint64) ^ _TOP
    if values.null_count:
        words[np.asarray(values.is_null())] = 0 if how.endswith("FIRST") else 2**64 - 1
    return words


def _sort_key(order: Sequence[tuple[exp.Expr, str]], schema: Schema) -> str:
    """The bytes that sort as a tuple does; equal only for equal tuples."""
    terms = [f"{_sortable(each, schema)}, '{direction}'" for each, direction in order]
    # A text in it makes the key bytes, however short it is; DuckDB gives short ones as numbers.
    return f"create_sort_key({', '.join(terms)}, '', 'ASC NULLS LAST')"


def _sortable(expression: exp.Expr, schema: Schema) -> str:
    """An interval in the form that all equal ones have."""
    field = schema.find(expression.name) if isinstance(expression, exp.Column) else None
    text = as_sql(expression)
    return f"normalized_interval({text})" if field is not None and field.type == "INTERVAL" else text
