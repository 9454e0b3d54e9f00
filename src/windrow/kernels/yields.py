"""Which tuples are the last of their slot, where OVER has a SLIDE."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_READ = "Array(int64, 1, 'C', True)"


@kernel(f"boolean[::1]({_READ}, {_READ}, int64[::1])")
def last_of_slots(groups: Ints, slots: Ints, later: Ints) -> Mask:
    """Whether no tuple of the same group comes later in the same slot; slots rise. `later` has room for a
    number for each group, whatever it is."""
    yields = np.empty(groups.shape[0], np.bool_)
    for place in range(groups.shape[0]):
        later[groups[place]] = slots[place] - 1
    for place in range(groups.shape[0] - 1, -1, -1):
        yields[place] = later[groups[place]] != slots[place]
        later[groups[place]] = slots[place]
    return yields


@kernel(f"int64[::1]({_READ}, int64, int64[::1])")
def count_off(groups: Ints, length: int, phases: Ints) -> Ints:
    """The place of each tuple in its slot of so many tuples of its group, from 1; `phases` has for each
    group how many the slot has already."""
    places = np.empty(groups.shape[0], np.int64)
    for place in range(groups.shape[0]):
        group = groups[place]
        places[place] = phases[group] + 1
        phases[group] = places[place] % length
    return places
