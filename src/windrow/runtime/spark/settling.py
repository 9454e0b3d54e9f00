"""What a worker has built for a program stays: Python need not look through it for garbage.

After each task PySpark's workers collect all garbage. Where modules and plans are large, that takes a tenth
of a second: more than the task.
"""

from __future__ import annotations

import gc
from collections.abc import Hashable

_settled: set[Hashable] = set()


def settle(*kind: Hashable) -> None:
    """Called after a task; after the first of its kind, all that is there counts as no garbage."""
    if kind not in _settled:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        _settled.add(kind)
