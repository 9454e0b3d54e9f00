"""Arrivals and departures in the order in which they count, and the moments at which groups change.

A moment is one group at one instant. Events are three arrays of equal length: the row of a table that
each is about, +1 where the row arrives and -1 where it departs, and the instant.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]

_READ = "Array(int64, 1, 'C', True)"


@kernel(f"void({_READ}, {_READ}, {_READ}, int64, int64[::1], int8[::1], int64[::1])")
def order_events(
    ends: Ints, ending: Ints, ts: Ints, first: int, rows: Ints, signs: Signs, instants: Ints
) -> None:
    """Rows `ending` depart at the instants `ends`; rows arrive at the instants `ts`, numbered from
    `first` on. Both are in time order; at one instant departures come first."""
    gone = come = 0
    for event in range(rows.shape[0]):
        if come == ts.shape[0] or (gone < ends.shape[0] and ends[gone] <= ts[come]):
            rows[event], signs[event], instants[event] = ending[gone], -1, ends[gone]
            gone += 1
        else:
            rows[event], signs[event], instants[event] = first + come, 1, ts[come]
            come += 1


@kernel(
    "Tuple((int64, int64))(Array(int64, 1, 'C', True), Array(int8, 1, 'C', True),"
    " Array(int64, 1, 'C', True), Array(int64, 1, 'C', True), Array(boolean, 1, 'C', True),"
    " int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])"
)
def number_moments(
    rows: Ints,
    signs: Signs,
    instants: Ints,
    groups: Ints,
    asked: Mask,
    newest: Ints,
    moments: Ints,
    moment_groups: Ints,
    moment_instants: Ints,
    before: Ints,
) -> tuple[int, int]:
    """The moment of each event; and of each moment its group, its instant and the moment before it.

    Each group that occurs has an opening moment, which stands for what it was before the first event.
    Openings come first, then the moments in the order in which they begin. Events that are not `asked`
    make no moment, and have -1; a group of which only such go has no opening. `newest` has -1 for each
    group, before and after. Returns how many openings there are, and how many moments in all.
    """
    openings = 0
    for event in range(rows.shape[0]):
        group = groups[rows[event]]
        if newest[group] < 0 and (asked[event] or signs[event] > 0):
            newest[group] = openings
            moment_groups[openings] = group
            openings += 1
    used = openings
    for event in range(rows.shape[0]):
        if not asked[event]:
            moments[event] = -1
            continue
        group = groups[rows[event]]
        moment = newest[group]
        if moment < openings or moment_instants[moment] != instants[event]:
            before[used] = moment
            moment_groups[used] = group
            moment_instants[used] = instants[event]
            newest[group] = moment = used
            used += 1
        moments[event] = moment
    for moment in range(openings):
        newest[moment_groups[moment]] = -1
    return openings, used


@kernel(
    f"int64({_READ}, {_READ}, int64, Array(boolean, 1, 'C', True), Array(boolean, 1, 'C', True),"
    " int64[::1], int64[::1], int8[::1])"
)
def tell(
    instants: Ints, before: Ints, openings: int, left: Mask, came: Mask, told: Ints, ts: Ints, signs: Signs
) -> int:
    """The moments whose results are told, and when: of each instant first those before that `left`, then
    those that `came`. Both are of the moments behind the openings. Returns how many are told."""
    count, first = 0, openings
    while first < instants.shape[0]:
        last, instant = first, instants[first]
        while last < instants.shape[0] and instants[last] == instant:
            if left[last - openings]:
                told[count], ts[count], signs[count] = before[last], instant, -1
                count += 1
            last += 1
        for moment in range(first, last):
            if came[moment - openings]:
                told[count], ts[count], signs[count] = moment, instant, 1
                count += 1
        first = last
    return count
