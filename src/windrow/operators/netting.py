"""What came and went within an instant is left out, and what ends comes before what begins."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.buffers.keys import KeyCodes
from windrow.delta import Delta, Instants, Signs
from windrow.expressions.engine import INPUT, ask
from windrow.kernels.netting import balance, ends_first, may_cancel, outlast
from windrow.schema import Schema

Places = npt.NDArray[np.int64]


def netted(delta: Delta, schema: Schema) -> Delta:
    """The balance of a signed delta: what an instant does not change in the multiset of tuples is not
    told, and what it takes away is told first."""
    if delta.sign is None or not len(delta):
        return delta
    kept = np.ones(len(delta), np.bool_)
    places, codes, capacity = _equal(delta, schema)
    kept[places] = balance(delta.ts[places], codes, delta.sign[places], capacity)
    if np.any((delta.ts[1:] == delta.ts[:-1]) & (delta.sign[1:] < delta.sign[:-1])):
        return delta.take(ends_first(delta.ts, delta.sign, kept))
    return delta if kept.all() else delta.take(kept)


def lasting(delta: Delta, schema: Schema) -> Delta:
    """The tuples that enter and are not taken back at the same instant."""
    if delta.sign is None or (delta.sign > 0).all():
        return delta
    entering = delta.sign > 0
    places, codes, capacity = _equal(delta, schema)
    entering[places] &= outlast(delta.ts[places], codes, delta.sign[places], capacity)
    return delta.take(entering)


def _equal(delta: Delta, schema: Schema) -> tuple[Places, Places, int]:
    """The tuples that may be equal to one of their instant with the other sign, and their values by codes,
    all below a number."""
    assert delta.sign is not None
    mixed, most = _mixed(delta.ts, delta.sign)
    if not mixed.any():
        return np.empty(0, np.int64), np.empty(0, np.int64), 0
    part = delta if mixed.all() else delta.take(mixed)
    assert part.sign is not None
    names = [f"c{place}" for place in range(part.rows.num_columns)]
    statement = f"SELECT hash({', '.join(names)}) AS hash FROM {INPUT}"
    hashes = ask(statement, part.rows.rename_columns(names))["hash"].to_numpy()
    places = np.flatnonzero(mixed)[may_cancel(part.ts, hashes, part.sign, most)]
    coder = KeyCodes(schema)
    codes = coder.codes(delta.rows.take(places))
    return places, codes, coder.capacity


def _mixed(ts: Instants, sign: Signs) -> tuple[npt.NDArray[np.bool_], int]:
    """Which tuples share their instant with one of the other sign, and how many share one at most."""
    starts = np.flatnonzero(np.append(True, ts[1:] != ts[:-1]))
    counts = np.diff(np.append(starts, len(ts)))
    both = np.minimum.reduceat(sign, starts) != np.maximum.reduceat(sign, starts)
    return np.repeat(both, counts), int(counts.max())
