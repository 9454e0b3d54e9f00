"""The two halves of an update, found among the changes of a batch.

At one instant, a tuple that leaves and one that enters are halves of an update if they agree on the
columns that tell the rows of the result apart.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.buffers.keys import KeyCodes
from windrow.delta import Delta, Signs
from windrow.schema import Schema

Places = npt.NDArray[np.intp]


def with_updates(delta: Delta, key: Schema) -> tuple[Delta, npt.NDArray[np.bool_]]:
    """A signed delta in which what enters follows what it updates, and which tuples are halves of
    updates. All else stays in its order."""
    assert delta.sign is not None
    leaving, entering = _pairs(delta, delta.sign, key)
    halves = np.zeros(len(delta), np.bool_)
    halves[leaving] = halves[entering] = True
    if not len(leaving):
        return delta, halves
    place = np.arange(len(delta))
    place[entering] = place[leaving]
    order = np.lexsort((delta.sign, place))
    return delta.take(order), halves[order]


def _pairs(delta: Delta, sign: Signs, key: Schema) -> tuple[Places, Places]:
    """The places of the tuples that leave and, in the same order, of those that then take theirs."""
    codes = KeyCodes(key).codes(delta.rows) if len(key) else np.zeros(len(delta), np.int64)
    order = np.lexsort((codes, delta.ts))
    first, second = order[:-1], order[1:]
    same = (delta.ts[first] == delta.ts[second]) & (codes[first] == codes[second])
    paired = same & (sign[first] < 0) & (sign[second] > 0)
    return first[paired], second[paired]
