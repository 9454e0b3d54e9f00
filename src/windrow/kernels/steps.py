"""From events to the steps of an aggregate: what comes, what goes, and where a result is asked for."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]

_ARRIVE, _EXPIRE, _TERMINATE, _FORGET = range(4)


@kernel(
    "Tuple((int64, boolean))(Array(int64, 1, 'C', True), Array(int64, 1, 'C', True),"
    " Array(int8, 1, 'C', True), Array(boolean, 1, 'C', True), Array(int64, 1, 'C', True), int64[::1],"
    " boolean, boolean, boolean, int64[::1], int64[::1], int8[::1], boolean[::1])"
)
def steps_of_events(
    rows: Ints,
    groups: Ints,
    signs: Signs,
    heard: Mask,
    moments: Ints,
    last: Ints,
    answers: bool,
    restarts: bool,
    always: bool,
    at: Ints,
    of_groups: Ints,
    kinds: Signs,
    told: Mask,
) -> tuple[int, bool]:
    """Of each step its event, its group, its kind, and whether anybody hears of it.

    Events whose sign is 0 do not count; with `restarts`, those that go neither. Where it `answers`, behind
    the last event of each moment that is heard a result is asked for: `always`, or where it counts. With
    `restarts` the group begins anew behind it. `last` has -1 for each moment. Returns how many steps there
    are, and whether a result belongs to several events.
    """
    is_shared = False
    for event in range(rows.shape[0] if answers else 0):
        counts = signs[event] > 0 or (signs[event] != 0 and not restarts)
        moment = moments[event]
        if heard[event] and moment >= 0 and (always or counts):
            is_shared = is_shared or last[moment] >= 0
            last[moment] = event
    count = 0
    for event in range(rows.shape[0]):
        group = groups[rows[event]]
        if signs[event] > 0 or (signs[event] != 0 and not restarts):
            at[count], of_groups[count], told[count] = event, group, heard[event]
            kinds[count] = _ARRIVE if signs[event] > 0 else _EXPIRE
            count += 1
        if answers and moments[event] >= 0 and last[moments[event]] == event:
            at[count], of_groups[count], told[count] = event, group, True
            kinds[count] = _TERMINATE
            count += 1
            if restarts:
                at[count], of_groups[count], told[count] = event, group, False
                kinds[count] = _FORGET
                count += 1
    return count, is_shared


@kernel(
    "Tuple((int64[::1], int64[::1]))(Array(int64, 1, 'C', True), Array(boolean, 1, 'C', True),"
    " Array(int64, 1, 'C', True), Array(boolean, 1, 'C', True), int64[::1], int64[::1])"
)
def spread(
    at: Ints, ends: Mask, moments: Ints, asked: Mask, first: Ints, number: Ints
) -> tuple[Ints, Ints]:
    """Give results that are marked as ends to all events of their moment that are asked.

    `at` has the event of each result, rising; `first` and `number` have 0 for each moment. Returns events,
    rising, and the results that belong to them: behind its own the ends of its moment.
    """
    total = 0
    for result in range(at.shape[0]):
        if ends[result]:
            moment = moments[at[result]]
            if number[moment] == 0:
                first[moment] = result
            number[moment] += 1
        else:
            total += 1
    for event in range(asked.shape[0]):
        if asked[event]:
            total += number[moments[event]]
    events, results = np.empty(total, np.int64), np.empty(total, np.int64)
    used = result = 0
    for event in range(asked.shape[0]):
        while result < at.shape[0] and at[result] == event:
            if not ends[result]:
                events[used], results[used] = event, result
                used += 1
            result += 1
        if asked[event]:
            moment = moments[event]
            for more in range(number[moment]):
                events[used], results[used] = event, first[moment] + more
                used += 1
    return events, results
