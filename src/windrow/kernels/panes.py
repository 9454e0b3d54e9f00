"""Panes: the tuples that a window lets in at one of its moves, and out at one other.

A *cell* is what is known of a group's tuples of a pane. It has a number, and a row in `cells`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]

GROUP, ENTER, LEAVE = range(3)
"""Of a cell, in `cells`."""
FRESH, LAST, GIVEN, UNTIL = range(4)
"""Of a cell, how many values come with it that are not there, and how many it is the last to have; how
often its number was given before, and when it leaves."""
NUMBER = 32
"""The number of a cell has so many bits."""

_READ = "Array(int64, 1, 'C', True)"
_SIGNS = "Array(int8, 1, 'C', True)"
_NEVER = 2**63 - 1
_NUMBERS = 2**NUMBER - 1


@kernel("int64(int64, int64, int64)")
def move_after(instant: int, length: int, slide: int) -> int:
    """The first multiple of the slide that is not before so much later; never, where there is none."""
    if instant > _NEVER - length:
        return _NEVER
    missing = (slide - (instant + length) % slide) % slide
    return _NEVER if instant + length > _NEVER - missing else instant + length + missing


@kernel(
    f"int64({_READ}, {_READ}, int64, int64, {_READ}, int64[::1], int64[:, ::1], int64[::1], boolean[::1])"
)
def number_cells(
    ts: Ints,
    groups: Ints,
    size: int,
    slide: int,
    free: Ints,
    newest: Ints,
    cells: Ints,
    found: Ints,
    touched: Flags,
) -> int:
    """The cell of each tuple, into `found`. Tuples are in time order, and some window sees each.

    `newest` has the newest cell of each group, if that has not entered yet, or else -1. A new cell takes
    the next number of `free`, which has one for each tuple; returns how many were taken.
    """
    made, upto, enter, leave = 0, 0, 0, 0
    for place in range(ts.shape[0]):
        if place == 0 or ts[place] > upto:
            enter, leave = move_after(ts[place], 0, slide), move_after(ts[place], size, slide)
            upto = min(enter, leave - size)
        group = groups[place]
        cell = newest[group]
        if cell < 0 or cells[cell, LEAVE] != leave or cells[cell, ENTER] != enter:
            cell = newest[group] = free[made]
            cells[cell, GROUP], cells[cell, ENTER], cells[cell, LEAVE] = group, enter, leave
            made += 1
        found[place], touched[cell] = cell, True
    return made


@kernel(f"void({_READ}, {_SIGNS}, {_READ}, {_READ}, {_READ}, int64[:, ::1], int64[:, ::1], int64[:, ::1])")
def combine(
    rows: Ints,
    signs: Signs,
    moments: Ints,
    groups: Ints,
    cells: Ints,
    numbers: Ints,
    state: Ints,
    noted: Ints,
) -> None:
    """Add the numbers of cells that come to those of their groups, take those of cells that go away, and
    note what a moment leaves."""
    for event in range(rows.shape[0]):
        row, sign, moment = rows[event], np.int64(signs[event]), moments[event]
        group, cell = groups[row], cells[row]
        for place in range(state.shape[1]):
            state[group, place] += sign * numbers[cell, place]
            if moment >= 0:
                noted[moment, place] = state[group, place]


@kernel(
    f"Tuple((int64, int64))({_READ}, {_SIGNS}, {_READ}, int64[:, ::1], int64[:, ::1], int64[:, ::1],"
    " boolean[::1])"
)
def sight(
    cells: Ints, signs: Signs, codes: Ints, known: Ints, seen: Ints, counts: Ints, touched: Flags
) -> tuple[int, int]:
    """Tuples with values come to cells: each value is counted in the last cell that has it, and is fresh
    where the one before is gone when this one enters. `seen` has of each value which that cell is: one more
    than its number and, above it, how often the number was given before. Returns how many values are fresh,
    and how many of these were not known at all."""
    fresh, new = 0, 0
    for place in range(cells.shape[0]):
        if signs[place] == 0:
            continue
        cell, code = cells[place], codes[place]
        now, last = counts[cell, GIVEN] << NUMBER | (cell + 1), seen[code, 0]
        if last == now:
            continue
        seen[code, 0] = now
        counts[cell, LAST] += 1
        counts[cell, UNTIL] = known[cell, LEAVE]
        before = (last & _NUMBERS) - 1
        if (
            before >= 0
            and counts[before, GIVEN] == last >> NUMBER
            and counts[before, UNTIL] > known[cell, ENTER]
        ):
            counts[before, LAST] -= 1
            touched[before] = True
        else:
            counts[cell, FRESH] += 1
            fresh += 1
            if before < 0:
                new += 1
    return fresh, new


@kernel(f"void({_READ}, {_SIGNS}, {_READ}, {_READ}, {_READ}, int64[:, ::1], int64[:, ::1], int64[:, ::1])")
def combine_sighted(
    rows: Ints,
    signs: Signs,
    moments: Ints,
    groups: Ints,
    cells: Ints,
    counts: Ints,
    state: Ints,
    noted: Ints,
) -> None:
    """A cell that comes brings its fresh values; one that goes takes those away that it is the last to
    have."""
    for event in range(rows.shape[0]):
        row, moment = rows[event], moments[event]
        group, cell = groups[row], cells[row]
        state[group, 0] += counts[cell, FRESH] if signs[event] > 0 else -counts[cell, LAST]
        if moment >= 0:
            noted[moment, 0] = state[group, 0]
