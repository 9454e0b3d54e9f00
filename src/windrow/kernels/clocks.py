"""The clock of a stream: which arriving tuples still count."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Instants = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def late_mask(ts: Instants, floor: int, slack: int) -> tuple[Mask, int]:
    """Which tuples, in arrival order, come below the floor of their moment; and the floor after them.

    The floor is the greatest timestamp that was accepted, less the slack, and never falls.
    """
    late, after = scan_arrivals(np.ascontiguousarray(ts, dtype=np.int64), floor, slack)
    return late, int(after)


@kernel("Tuple((boolean[::1], int64))(Array(int64, 1, 'C', True), int64, int64)")
def scan_arrivals(ts: Instants, floor: int, slack: int) -> tuple[Mask, int]:
    late = np.empty(ts.shape[0], np.bool_)
    lowest = -(2**63) + slack
    for i in range(ts.shape[0]):
        late[i] = ts[i] < floor
        # A late tuple less the slack is below the floor too: no need to ask. Below `lowest` the
        # subtraction would wrap around.
        floor = max(floor, max(ts[i], lowest) - slack)
    return late, floor
