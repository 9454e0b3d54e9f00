"""An aggregate that kills the worker it runs in, now and then, and never twice at the same tuple."""

from __future__ import annotations

import os
from pathlib import Path


class Count:
    """How many tuples there were; its argument is a folder that knows where it has crashed."""

    def initialize(self, folder: str) -> None:
        self.count = 1

    def iterate(self, folder: str) -> None:
        self.count += 1
        crash = Path(folder, f"crash at {self.count}")
        if self.count % 20 == 0 and not crash.exists():
            crash.touch()
            os._exit(1)

    def terminate(self) -> int:
        return self.count
