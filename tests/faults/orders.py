"""Orders to fail, to dawdle, to do something twice: each is a file, and who removes it obeys.

So a fault happens once, in whatever process comes first to where it can happen: a worker, or a driver that
runs a small batch itself.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

FOLDER = "WINDROW_TEST_ORDERS"
"""The variable that names the folder of orders."""
FAIL, FAIL_MIDWAY, FAIL_LATE, DAWDLE, TWICE = "fail", "fail-midway", "fail-late", "dawdle", "twice"
"""What a share of a batch may be ordered: the second when a part of it is given, the third when all of it
is done and saved."""
HALF_A_PART, HALF_A_BATCH = "half-a-part", "half-a-batch"
"""A sink fails: in the middle of a file, and in the middle of putting files in place."""
ORDERS = (FAIL, FAIL_MIDWAY, FAIL_LATE, DAWDLE, TWICE, HALF_A_PART, HALF_A_BATCH)
LONG = 3.0
"""Seconds that one dawdles: enough for Spark to start a second attempt elsewhere."""

Stage = Callable[..., Iterator[Any]]


class Ordered(Exception):
    """A failure that was wanted."""


def given(order: str) -> Path:
    path = Path(os.environ[FOLDER], order)
    path.touch()
    return path


def obey() -> None:
    """From now on this process takes orders."""
    from windrow.runtime.execution import Work
    from windrow.sinks.files import DirectorySink

    if Work.first_stage.__name__ == "disturbed":
        return
    Work.first_stage = _disturbed(Work.first_stage)
    Work.later_stage = _disturbed(Work.later_stage)
    DirectorySink._write = _half(DirectorySink._write)
    DirectorySink._place = _partly(DirectorySink._place)


def _taken(order: str) -> bool:
    try:
        Path(os.environ[FOLDER], order).unlink()
    except FileNotFoundError:
        return False
    return True


def _fail(order: str) -> None:
    if _taken(order):
        raise Ordered(order)


def _disturbed(stage: Stage) -> Stage:
    def disturbed(work: Any, *arguments: Any) -> Iterator[Any]:
        _fail(FAIL)
        if _taken(DAWDLE):
            time.sleep(LONG)
        if _taken(TWICE):
            list(stage(work, *map(_as_elsewhere, arguments)))
        for message in stage(work, *arguments):
            yield message
            _fail(FAIL_MIDWAY)
        _fail(FAIL_LATE)

    return disturbed


def _as_elsewhere(argument: Any) -> Any:
    """As another process would have it: one that has not served any place before."""
    from windrow.runtime.state import Places

    return Places(argument._store) if isinstance(argument, Places) else argument


def _half(write: Callable[..., None]) -> Callable[..., None]:
    def half(sink: Any, temporary: Path, table: Any) -> None:
        write(sink, temporary, table)
        if _taken(HALF_A_PART):
            os.truncate(temporary, temporary.stat().st_size // 2)
            raise OSError(errno.ENOSPC, "ordered")

    return half


def _partly(place: Callable[..., None]) -> Callable[..., None]:
    def partly(sink: Any, parts: Any) -> None:
        if parts and _taken(HALF_A_BATCH):
            place(sink, parts[: max(1, len(parts) // 2)])
            raise OSError(errno.ENOSPC, "ordered")
        place(sink, parts)

    return partly
