"""Where the seconds of a batch go."""

from __future__ import annotations

import time

READ, ROUTE, EXCHANGE, OPERATORS, STATE, SINK = (
    "read",  # of logs
    "route",  # by bucket
    "exchange",  # from one stage to the next, and waiting for Spark
    "operators",
    "state",  # reading and writing what operators keep
    "sink",
)
PHASES = (READ, ROUTE, EXCHANGE, OPERATORS, STATE, SINK)
"""In the order in which a batch passes them."""


class Stopwatch:
    """Seconds by phase, in one place."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.perf_counter()

    def lap(self, phase: str) -> None:
        """What has passed since the last lap was of this phase."""
        now = time.perf_counter()
        self.seconds[phase] = self.seconds.get(phase, 0.0) + now - self._since
        self._since = now
