"""A wall clock for tests: time passes when somebody says so."""

from __future__ import annotations

NEW_YEAR = 1_767_225_600_000_000
"""2026-01-01 00:00:00, where it starts."""


class HandMovedWall:
    """A wall clock that stands still until it is moved: `windrow.connect(wall_clock=HandMovedWall())`."""

    def __init__(self, now: int = NEW_YEAR) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def move(self, microseconds: int) -> None:
        """Move it on, or back."""
        self.now += microseconds
