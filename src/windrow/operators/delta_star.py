"""δ*: results without duplicates, of tuples that say when they end (thesis 3.5.2, nile 4.5).

Of equal tuples it is enough to know the youngest: when a result ends, the youngest takes over until it ends
itself. So what is kept is a few numbers for each value, however many tuples there are. INTERSECT and EXCEPT
without ALL ask for the youngest on either side.

Where ends are told by negative tuples nothing has to take over: a result ends when its last duplicate does.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from windrow.buffers.expiring import expiries_for
from windrow.buffers.growing import each_once, grown
from windrow.buffers.parts import State
from windrow.delta import BEGINNING, NEVER, Delta, Instants, Signs, concat, in_time_order
from windrow.kernels import delta_star as kernels
from windrow.operators.base import Operator
from windrow.operators.values import Values, ValueStates
from windrow.plan.grouping import Distinct
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern

_RULES: dict[type[Node], int] = {
    Distinct: kernels.LEFT_ONLY,
    Intersect: kernels.BOTH,
    Except: kernels.LEFT_ALONE,
}
_ENTRIES = 2
"""So many instants a value waits for at most."""


class _DeltaStar(Operator):
    """Runs Distinct, and Intersect and Except without ALL, over inputs that are not strict."""

    def __init__(self, node: Distinct | Intersect | Except, *awaited: int) -> None:
        if any(each.pattern is Pattern.STR for each in node.inputs):
            raise ValueError("which tuple is the youngest is known only where none ends unforeseen")
        self._rule = _RULES[type(node)]
        self._values = ValueStates(node.schema, 3)
        self._awaited = awaited
        """The columns of a value's numbers that tell when to look at it again."""
        self._waiting = expiries_for(Pattern.WK, scanned=node.scanned)
        self._waits = np.zeros((0, _ENTRIES), np.bool_)
        """Which of these a value waits for; perhaps for an instant that has been put off."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the state takes."""
        return self._values.nbytes + self._waiting.nbytes + self._waits.nbytes

    @property
    def probes(self) -> int:
        return self._waiting.probes

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        clock = inputs[0].clock
        both, side = _together(inputs)
        values = self._values.of(both.rows)
        arrived = self._arrived(both, side, values)
        self._wait(values, BEGINNING)
        due = self._due(clock)
        ended = self._ended(due, clock)
        given = in_time_order(concat([ended, arrived]))
        self._values.release(due[self._are_over(due, clock)])
        self._wait(due, clock)
        return given.at(clock)

    def save(self) -> State:
        return self._values.save()

    def restore(self, state: State) -> None:
        self._values.restore(state)
        self._wait(self._values.live(), BEGINNING)

    @abstractmethod
    def _arrived(self, delta: Delta, side: Signs, values: Values) -> Delta:
        """What tuples mean that arrive."""

    @abstractmethod
    def _ended(self, values: Values, clock: int) -> Delta:
        """What the time means for values."""

    @property
    def _state(self) -> npt.NDArray[np.uint64]:
        return self._values.numbers.view(np.uint64)

    def _wait(self, values: Values, clock: int) -> None:
        """Have values looked at again at the instants after the clock that concern them."""
        self._waits = grown(self._waits, self._values.capacity, 0)
        for place, column in enumerate(self._awaited):
            found, ends = np.empty((2, len(values)), np.int64)
            count = kernels.wait(values, place, column, clock, self._state, self._waits, found, ends)
            self._waiting.insert(_ENTRIES * found[:count] + place, ends[:count])

    def _due(self, clock: int) -> Values:
        """The values to look at now, each once."""
        entries, _ = self._waiting.expire_until(clock)
        values, places = np.divmod(entries, _ENTRIES)
        self._waits[values, places] = False
        due = each_once([values], self._values.capacity)
        self._values.touch(due)
        return due

    def _are_over(self, values: Values, clock: int) -> npt.NDArray[np.bool_]:
        """Which values nobody has any more."""
        latest = self._state[values, : kernels.GIVEN].max(axis=1)
        over: npt.NDArray[np.bool_] = latest <= np.uint64(clock - BEGINNING)
        return over


class TakingOver(_DeltaStar):
    """Gives results that say when they end, and gives them again where they were not the youngest."""

    def __init__(self, node: Distinct | Intersect) -> None:
        more = () if isinstance(node, Distinct) else (kernels.LATEST,)
        super().__init__(node, kernels.GIVEN, *more)
        self._expires = node.pattern is not Pattern.MON

    def _arrived(self, delta: Delta, side: Signs, values: Values) -> Delta:
        ends = ends_of(delta)
        out = np.empty((3, 2 * len(values)), np.int64)
        count = kernels.give(delta.ts, ends, side, values, self._rule, self._state, *out)
        return self._given(out[:, :count], delta.clock)

    def _ended(self, values: Values, clock: int) -> Delta:
        out = np.empty((3, len(values)), np.int64)
        count = kernels.take_over(values, clock, self._rule, self._state, *out)
        return self._given(out[:, :count], clock)

    def _given(self, out: npt.NDArray[np.int64], clock: int) -> Delta:
        ts, exp, values = out
        return Delta(clock, self._values.rows(values), ts, exp if self._expires else None)


class TellingEnds(_DeltaStar):
    """Gives results that negative tuples end; of an instant, the balance."""

    def __init__(self, node: Distinct | Intersect | Except) -> None:
        more = () if isinstance(node, Distinct) else (kernels.RIGHT,)
        super().__init__(node, kernels.LEFT, *more)

    def _arrived(self, delta: Delta, side: Signs, values: Values) -> Delta:
        ends = ends_of(delta)
        (ts, given), sign = np.empty((2, 3 * len(values)), np.int64), np.empty(3 * len(values), np.int8)
        told = delta.ts, ends, side, values, self._rule, self._state
        count = kernels.change(*told, ts, given, sign)
        return self._given(ts[:count], given[:count], sign[:count], delta.clock)

    def _ended(self, values: Values, clock: int) -> Delta:
        (ts, given), sign = np.empty((2, 2 * len(values)), np.int64), np.empty(2 * len(values), np.int8)
        count = kernels.end(values, clock, self._rule, self._state, ts, given, sign)
        return self._given(ts[:count], given[:count], sign[:count], clock)

    def _given(self, ts: Instants, values: Values, sign: Signs, clock: int) -> Delta:
        return Delta(clock, self._values.rows(values), ts, None, sign)


def _together(inputs: Sequence[Delta]) -> tuple[Delta, Signs]:
    """The tuples of all inputs in time order, and the input that each is of."""
    if len(inputs) == 1:
        return inputs[0], np.zeros(len(inputs[0]), np.int8)
    names = inputs[0].rows.column_names
    alike = [Delta(each.clock, each.rows.rename_columns(names), each.ts, ends_of(each)) for each in inputs]
    both = concat(alike)
    side = np.repeat(np.arange(len(inputs), dtype=np.int8), [len(each) for each in inputs])
    order = np.argsort(both.ts, kind="stable")
    return both.take(order), side[order]


def ends_of(delta: Delta) -> Instants:
    """When tuples end, if ever."""
    return np.full(len(delta), NEVER) if delta.exp is None else delta.exp
