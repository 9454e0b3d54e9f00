"""What came and went within an instant is left out, and what ends comes before what begins."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.buffers.keys import KeyCodes
from windrow.delta import Delta, Instants, Signs
from windrow.kernels.netting import balance, outlast
from windrow.schema import Schema


def netted(delta: Delta, schema: Schema) -> Delta:
    """The balance of a signed delta: what an instant does not change in the multiset of tuples is not
    told, and what it takes away is told first."""
    if delta.sign is None or not len(delta):
        return delta
    changing = np.flatnonzero(_mixed(delta.ts, delta.sign))
    if not len(changing):
        return delta
    coder = KeyCodes(schema)
    codes = coder.codes(delta.rows.take(changing))
    kept = np.ones(len(delta), np.bool_)
    kept[changing] = balance(delta.ts[changing], codes, delta.sign[changing], coder.capacity)
    left = np.flatnonzero(kept)
    return delta.take(left[np.lexsort((delta.sign[left], delta.ts[left]))])


def lasting(delta: Delta, schema: Schema) -> Delta:
    """The tuples that enter and are not taken back at the same instant."""
    if delta.sign is None or (delta.sign > 0).all():
        return delta
    entering = delta.sign > 0
    changing = np.flatnonzero(_mixed(delta.ts, delta.sign))
    if len(changing):
        coder = KeyCodes(schema)
        codes = coder.codes(delta.rows.take(changing))
        entering[changing] = outlast(delta.ts[changing], codes, delta.sign[changing], coder.capacity)
    return delta.take(entering)


def _mixed(ts: Instants, sign: Signs) -> npt.NDArray[np.bool_]:
    """Which tuples share their instant with one of the other sign."""
    starts = np.flatnonzero(np.append(True, ts[1:] != ts[:-1]))
    both = np.minimum.reduceat(sign, starts) != np.maximum.reduceat(sign, starts)
    return np.repeat(both, np.diff(np.append(starts, len(ts))))
