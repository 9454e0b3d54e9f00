"""δ*: results without duplicates, of tuples that say when they end (thesis 3.5.2, nile 4.5).

Of equal tuples it is enough to know the youngest: when a result ends, the youngest takes over until it ends
itself. So what is kept is a few numbers for each value, however many tuples there are. INTERSECT and EXCEPT
without ALL ask for the youngest on either side.

Where ends are told by negative tuples nothing has to take over: a result ends when its last duplicate does.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from windrow.buffers.expiring import expiries_for
from windrow.buffers.growing import each_once, grown
from windrow.buffers.ordering import stable_order
from windrow.buffers.parts import State
from windrow.delta import BEGINNING, NEVER, Delta, Instants, Signs, concat
from windrow.kernels import delta_star as kernels
from windrow.kernels.counted import GIVEN, LEFT, RIGHT
from windrow.operators.base import Operator
from windrow.operators.number_values import values_of
from windrow.operators.values import RULES, Values
from windrow.plan.grouping import Distinct
from windrow.plan.multisets import Except, Intersect
from windrow.plan.patterns import Pattern

PART = 1 << 15
"""So many tuples are looked at again before they are out of the processor's cache."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """Tuples of either side in time order, by their values."""

    ts: Instants
    exp: Instants
    side: Signs
    values: Values


class DeltaStar(Operator):
    """Runs Distinct, and Intersect and Except without ALL, over inputs that are not strict."""

    def __init__(self, node: Distinct | Intersect | Except, width: int, *awaited: int) -> None:
        if any(each.pattern is Pattern.STR for each in node.inputs):
            raise ValueError("which tuple is the youngest is known only where none ends unforeseen")
        self._rule = RULES[type(node)]
        self._sides = len(node.inputs)
        self._values = values_of(node.schema, width)
        self._awaited = awaited
        """The columns of a value's numbers that tell when to look at it again."""
        self._waiting = expiries_for(Pattern.WK, scanned=node.scanned)
        """A value and a column, in one number."""
        self._waits = np.zeros((0, len(awaited)), np.bool_)
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
        exp, given = _ends_of(both), []
        for begin in range(0, max(len(both), 1), PART):
            part = slice(begin, begin + PART)
            values = self._values.of(both.rows.slice(begin, PART))
            self._arrive(Arrived(both.ts[part], exp[part], side[part], values))
            until = int(both.ts[part.stop]) - 1 if part.stop < len(both) else clock
            given.append(self._settled(values, until))
        return concat(given).at(clock)

    def save(self) -> State:
        return self._values.save()

    def restore(self, state: State) -> None:
        self._values.restore(state)
        self._wait(self._values.live(), BEGINNING)

    @abstractmethod
    def _arrive(self, arrived: Arrived) -> None:
        """Take tuples in."""

    @abstractmethod
    def _expire(self, values: Values, clock: int) -> None:
        """Let the time pass for values."""

    @abstractmethod
    def _given(self, clock: int) -> Delta:
        """What that changed in the result, since the last call."""

    @property
    def _state(self) -> npt.NDArray[np.uint64]:
        return self._values.numbers.view(np.uint64)

    def _settled(self, arrived: Values, clock: int) -> Delta:
        """What the tuples that arrived mean, and the time up to the clock."""
        due = self._due(self._wait(arrived, clock), clock)
        self._expire(due, clock)
        given = self._given(clock)
        latest = self._state[due, : self._sides].max(axis=1)
        over = latest <= np.uint64(clock - BEGINNING)
        self._values.release(due[over])
        self._wait(due[~over], clock)
        return given

    def _wait(self, values: Values, clock: int) -> list[Values]:
        """Have values looked at again at the instants after the clock that concern them, unless they wait
        already. Gives those for which it is time now."""
        self._waits = grown(self._waits, self._values.capacity, 0)
        due = []
        for place, column in enumerate(self._awaited):
            found, instants = np.empty((2, len(values)), np.int64)
            told = place, column, self._state, self._waits
            count = kernels.enlist(values, *told, found, instants)
            fresh, later = found[:count], instants[:count] > clock
            self._waiting.insert(len(self._awaited) * fresh[later] + place, instants[:count][later])
            self._waits[fresh[~later], place] = False
            due.append(fresh[~later])
        return due

    def _due(self, fresh: Sequence[Values], clock: int) -> Values:
        """The values to look at now, rising, each once."""
        entries, _ = self._waiting.expire_until(clock)
        values, places = np.divmod(entries, len(self._awaited))
        self._waits[values, places] = False
        once = each_once([*fresh, values], self._values.capacity)
        self._values.touch(once)
        return once


class TakingOver(DeltaStar):
    """Gives results that say when they end, and gives them again where they were not the youngest."""

    def __init__(self, node: Distinct | Intersect) -> None:
        more = () if isinstance(node, Distinct) else (kernels.LATEST,)
        super().__init__(node, 3, GIVEN, *more)
        self._expires = node.pattern is not Pattern.MON
        self._told: list[npt.NDArray[np.int64]] = []

    def _arrive(self, arrived: Arrived) -> None:
        out = np.empty((3, 2 * len(arrived.ts)), np.int64)
        told = arrived.ts, arrived.exp, arrived.side, arrived.values
        count = kernels.give(*told, self._rule, self._state, *out)
        self._told.append(out[:, :count])

    def _expire(self, values: Values, clock: int) -> None:
        out = np.empty((3, len(values)), np.int64)
        count = kernels.take_over(values, clock, self._rule, self._state, *out)
        self._told.append(out[:, :count])

    def _given(self, clock: int) -> Delta:
        out, self._told = np.concatenate(self._told, axis=1), []
        ts, exp, values = np.take(out, stable_order(out[0]), axis=1)
        return Delta(clock, self._values.rows(values), ts, exp if self._expires else None)


class TellingEnds(DeltaStar):
    """Gives results that negative tuples end; of an instant, the balance."""

    def __init__(self, node: Intersect | Except) -> None:
        super().__init__(node, 3, LEFT, RIGHT)
        self._told: list[tuple[Instants, Values, Signs]] = []

    def _arrive(self, arrived: Arrived) -> None:
        most = 3 * len(arrived.ts)
        (ts, values), sign = np.empty((2, most), np.int64), np.empty(most, np.int8)
        told = arrived.ts, arrived.exp, arrived.side, arrived.values, self._rule, self._state
        count = kernels.change(*told, ts, values, sign)
        self._told.append((ts[:count], values[:count], sign[:count]))

    def _expire(self, values: Values, clock: int) -> None:
        most = 2 * len(values)
        (ts, ended), sign = np.empty((2, most), np.int64), np.empty(most, np.int8)
        count = kernels.end(values, clock, self._rule, self._state, ts, ended, sign)
        self._told.append((ts[:count], ended[:count], sign[:count]))

    def _given(self, clock: int) -> Delta:
        ts, values, sign = (np.concatenate(each) for each in zip(*self._told, strict=True))
        self._told = []
        order = stable_order(ts)
        return Delta(clock, self._values.rows(values[order]), ts[order], None, sign[order])


class DistinctTellingEnds(DeltaStar):
    """The same of Distinct, where a value needs one number only. What ends comes before what begins."""

    def __init__(self, node: Distinct) -> None:
        super().__init__(node, 1, LEFT)
        self._begun: list[npt.NDArray[np.int64]] = [np.empty((2, 0), np.int64)]
        self._ended: list[npt.NDArray[np.int64]] = []

    def _arrive(self, arrived: Arrived) -> None:
        begun, ended = np.empty((2, 2, len(arrived.ts)), np.int64)
        told = arrived.ts, arrived.exp, arrived.values, self._values.numbers
        begins, ends = kernels.follow(*told, *begun, *ended)
        self._begun.append(begun[:, :begins])
        self._ended.append(ended[:, :ends])

    def _expire(self, values: Values, clock: int) -> None:
        ended = np.empty((2, len(values)), np.int64)
        count = kernels.leave(values, clock, self._values.numbers, *ended)
        self._ended.append(ended[:, :count])

    def _given(self, clock: int) -> Delta:
        begun, ended = np.concatenate(self._begun, axis=1), np.concatenate(self._ended, axis=1)
        self._begun, self._ended = self._begun[:1], []
        ended = np.take(ended, stable_order(ended[0]), axis=1)
        ts, values = np.concatenate([ended, begun], axis=1)
        order = np.argsort(ts, kind="stable")
        sign = np.repeat(np.array([-1, 1], np.int8), [ended.shape[1], begun.shape[1]])
        return Delta(clock, self._values.rows(values[order]), ts[order], None, sign[order])


def _together(inputs: Sequence[Delta]) -> tuple[Delta, Signs]:
    """The tuples of all inputs in time order, and the input that each is of."""
    if len(inputs) == 1:
        return inputs[0], np.zeros(len(inputs[0]), np.int8)
    names = inputs[0].rows.column_names
    alike = [Delta(each.clock, each.rows.rename_columns(names), each.ts, _ends_of(each)) for each in inputs]
    both = concat(alike)
    side = np.repeat(np.arange(len(inputs), dtype=np.int8), [len(each) for each in inputs])
    order = np.argsort(both.ts, kind="stable")
    return both.take(order), side[order]


def _ends_of(delta: Delta) -> Instants:
    return np.full(len(delta), NEVER) if delta.exp is None else delta.exp
