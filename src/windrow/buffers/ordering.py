"""Sorting numbers that come in no order. NumPy's plain argsort uses the processor's wide registers; its
stable one does not, and takes several times as long.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def stable_order(keys: Ints) -> Ints:
    """The places of keys in rising order; those of equal keys rise, too."""
    order = np.argsort(keys)
    lined_up = keys[order]
    steps = lined_up[1:] != lined_up[:-1]
    if steps.all():
        return order
    ranks = np.zeros(len(keys), np.int64)
    np.cumsum(steps, out=ranks[1:])
    ranks *= len(keys)
    stable: Ints = np.sort(ranks + order) - ranks
    return stable
