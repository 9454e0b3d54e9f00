"""δ*: what is in a result without duplicates, from the youngest of each value on either side alone.

Assumes that every tuple says when it ends, so of equal ones on a side those that end sooner need not be
remembered. `state` has a row for each value: the latest end on either side; and the end of the result that
was given last or, where ends are told, whether one is there. Instants in it are shifted so that 0 comes
before all, and is the end of what is not there. The tuples of both sides come in time order.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.counted import BOTH, GIVEN, LEFT, RIGHT
from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Ends = npt.NDArray[np.uint64]
Signs = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]

LATEST = 3
"""Not a column of `state`: the later of the ends of both sides."""

_READ = "Array(int64, 1, 'C', True)"
_SMALL = "Array(int8, 1, 'C', True)"


@kernel("uint64(int64)")
def shifted(instant: int) -> np.uint64:
    """An instant as it is in `state`; order is kept."""
    return np.uint64(instant) ^ np.uint64(0x8000000000000000)


@kernel("int64(uint64)")
def instant(end: np.uint64) -> int:
    """The instant again."""
    return int(np.int64(end ^ np.uint64(0x8000000000000000)))


@kernel("uint64(uint64[:, ::1], int64, int64)")
def foreseen(state: Ends, value: int, rule: int) -> np.uint64:
    """Until when a value is in the result, for all that is known: it is on the one side, or on both."""
    left, right = np.uint64(state[value, LEFT]), np.uint64(state[value, RIGHT])
    return min(left, right) if rule == BOTH else left


@kernel("boolean(uint64[:, ::1], int64, int64)")
def belongs(state: Ends, value: int, rule: int) -> bool:
    """Whether a value is in the result of two sides, if the ends that have passed are 0."""
    on_right = bool(state[value, RIGHT] != 0)
    return bool(state[value, LEFT] != 0) and on_right == (rule == BOTH)


@kernel(
    f"int64({_READ}, {_READ}, {_SMALL}, {_READ}, int64, uint64[:, ::1], int64[::1], int64[::1], int64[::1])"
)
def give(
    ts: Ints,
    exp: Ints,
    side: Signs,
    values: Ints,
    rule: int,
    state: Ends,
    out_ts: Ints,
    out_exp: Ints,
    out_values: Ints,
) -> int:
    """The results that arriving tuples begin, and those that the youngest began before they came: (ts,
    exp, value), of each value in time order. Returns their number; two for a tuple at most."""
    count = 0
    for place in range(ts.shape[0]):
        value, now, end = values[place], shifted(ts[place]), shifted(exp[place])
        given, until = state[value, GIVEN], foreseen(state, value, rule)
        if given <= now and given < until:
            out_ts[count], out_exp[count], out_values[count] = instant(given), instant(until), value
            given = until
            count += 1
        state[value, side[place]] = max(state[value, side[place]], end)
        until = foreseen(state, value, rule)
        if given <= now:
            if until > now:
                out_ts[count], out_exp[count], out_values[count] = ts[place], instant(until), value
                count += 1
            given = max(given, until)
        state[value, GIVEN] = given
    return count


@kernel(f"int64({_READ}, int64, int64, uint64[:, ::1], int64[::1], int64[::1], int64[::1])")
def take_over(
    values: Ints, clock: int, rule: int, state: Ends, out_ts: Ints, out_exp: Ints, out_values: Ints
) -> int:
    """The results that the youngest begin where those given have ended, up to the clock; as in `give`."""
    count = 0
    for value in values:
        given, until = state[value, GIVEN], foreseen(state, value, rule)
        if given <= shifted(clock) and given < until:
            out_ts[count], out_exp[count], out_values[count] = instant(given), instant(until), value
            state[value, GIVEN] = until
            count += 1
    return count


@kernel("int64(uint64[:, ::1], int64, uint64, int64, int64[::1], int64[::1], int8[::1], int64)")
def settle(
    state: Ends,
    value: int,
    until: np.uint64,
    rule: int,
    out_ts: Ints,
    out_values: Ints,
    out_sign: Signs,
    count: int,
) -> int:
    """Let ends pass, up to an instant, and tell what that changes. Returns the new number of results."""
    while True:
        end = np.uint64(0)
        for side in (LEFT, RIGHT):
            own = state[value, side]
            if own != 0 and own <= until and (end == 0 or own < end):
                end = own
        if end == 0:
            return count
        for side in (LEFT, RIGHT):
            if state[value, side] == end:
                state[value, side] = 0
        count = tell(state, value, end, rule, out_ts, out_values, out_sign, count)


@kernel("int64(uint64[:, ::1], int64, uint64, int64, int64[::1], int64[::1], int8[::1], int64)")
def tell(
    state: Ends,
    value: int,
    now: np.uint64,
    rule: int,
    out_ts: Ints,
    out_values: Ints,
    out_sign: Signs,
    count: int,
) -> int:
    """Tell it if a value has come into the result, or left it. Returns the new number of results."""
    there = belongs(state, value, rule)
    if there != (state[value, GIVEN] != 0):
        out_ts[count], out_values[count], out_sign[count] = instant(now), value, 1 if there else -1
        state[value, GIVEN] = 1 if there else 0
        count += 1
    return count


@kernel(
    f"int64({_READ}, {_READ}, {_SMALL}, {_READ}, int64, uint64[:, ::1], int64[::1], int64[::1], int8[::1])"
)
def change(
    ts: Ints,
    exp: Ints,
    side: Signs,
    values: Ints,
    rule: int,
    state: Ends,
    out_ts: Ints,
    out_values: Ints,
    out_sign: Signs,
) -> int:
    """What arriving tuples change in the result, and the ends before them: (ts, value, sign), of each value
    in time order and one an instant at most. Returns their number; three for a tuple at most."""
    count, first = 0, 0
    for place in range(ts.shape[0]):
        value, now = values[place], shifted(ts[place])
        if ts[place] != ts[first]:
            for each in range(first, place):
                count = tell(
                    state, values[each], shifted(ts[first]), rule, out_ts, out_values, out_sign, count
                )
            first = place
        if now != 0:
            count = settle(state, value, now - np.uint64(1), rule, out_ts, out_values, out_sign, count)
        for other in (LEFT, RIGHT):
            if state[value, other] <= now:
                state[value, other] = 0
        state[value, side[place]] = max(state[value, side[place]], shifted(exp[place]))
    for each in range(first, ts.shape[0]):
        count = tell(state, values[each], shifted(ts[first]), rule, out_ts, out_values, out_sign, count)
    return count


@kernel(f"int64({_READ}, int64, int64, uint64[:, ::1], int64[::1], int64[::1], int8[::1])")
def end(
    values: Ints, clock: int, rule: int, state: Ends, out_ts: Ints, out_values: Ints, out_sign: Signs
) -> int:
    """What ends up to the clock change in the result; as in `change`, two for a value at most."""
    count = 0
    for value in values:
        count = settle(state, value, shifted(clock), rule, out_ts, out_values, out_sign, count)
    return count


@kernel(
    f"Tuple((int64, int64))({_READ}, {_READ}, {_READ}, int64[:, ::1],"
    " int64[::1], int64[::1], int64[::1], int64[::1])"
)
def follow(
    ts: Ints,
    exp: Ints,
    values: Ints,
    state: Ints,
    begun_ts: Ints,
    begun: Ints,
    ended_ts: Ints,
    ended: Ints,
) -> tuple[int, int]:
    """`change` of one side, whose `state` is the latest end alone. What begins is in time order,
    and apart from what has ended before. Returns the numbers of both; one of each for a tuple at most."""
    begins, ends = 0, 0
    for place in range(ts.shape[0]):
        value, now, end = values[place], shifted(ts[place]), shifted(exp[place])
        latest = np.uint64(state[value, LEFT])
        if latest < now:
            if latest != 0:
                ended_ts[ends], ended[ends] = instant(latest), value
                ends += 1
            begun_ts[begins], begun[begins] = ts[place], value
            begins += 1
        if end > latest:
            state[value, LEFT] = np.int64(end)
    return begins, ends


@kernel(f"int64({_READ}, int64, int64[:, ::1], int64[::1], int64[::1])")
def leave(values: Ints, clock: int, state: Ints, ended_ts: Ints, ended: Ints) -> int:
    """`end` of one side."""
    count = 0
    for value in values:
        latest = np.uint64(state[value, LEFT])
        if latest != 0 and latest <= shifted(clock):
            ended_ts[count], ended[count] = instant(latest), value
            state[value, LEFT] = 0
            count += 1
    return count


@kernel("uint64(uint64[:, ::1], int64, int64)")
def awaited(state: Ends, value: int, column: int) -> np.uint64:
    """The instant that a column tells; 0 for none."""
    if column == LATEST:
        return max(np.uint64(state[value, LEFT]), np.uint64(state[value, RIGHT]))
    return np.uint64(state[value, column])


@kernel(f"int64({_READ}, int64, int64, uint64[:, ::1], boolean[:, ::1], int64[::1], int64[::1])")
def enlist(
    values: Ints, place: int, column: int, state: Ends, waits: Flags, out: Ints, out_instants: Ints
) -> int:
    """The values that have an instant to wait for from now on, and that instant. `waits` has, at `place`,
    who does already. Returns their number."""
    count = 0
    for value in values:
        until = awaited(state, value, column)
        if until != 0 and not waits[value, place]:
            out[count], out_instants[count] = value, instant(until)
            waits[value, place] = True
            count += 1
    return count
