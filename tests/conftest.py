"""Databases that go by a wall clock that is moved by hand."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

import windrow
from windrow.log.hand_moved import NEW_YEAR as NOON
from windrow.log.hand_moved import HandMovedWall
from windrow.log.inlet import WallClock

# Its second compiler and threads to collect garbage are not worth their while in a JVM of some seconds.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# A shell hands its background jobs a Ctrl-C that is ignored, and they would hand it on.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def wall() -> HandMovedWall:
    return HandMovedWall()


Connect = Callable[..., windrow.Database]


@pytest.fixture
def connect(wall: WallClock) -> Iterator[Connect]:
    """Opens inline databases that go by the hand-moved clock, and closes them at the end."""
    with ExitStack() as opened:

        def open_one(checkpoint: object = None, **settings: object) -> windrow.Database:
            given = {"runner": "inline", "wall_clock": wall, "checkpoint": checkpoint, **settings}
            return opened.enter_context(windrow.connect(**given))  # type: ignore[arg-type]

        yield open_one


@pytest.fixture
def db(connect: Connect) -> windrow.Database:
    """An inline database that ends with the test."""
    return connect()


__all__ = ["NOON", "Connect", "HandMovedWall"]
