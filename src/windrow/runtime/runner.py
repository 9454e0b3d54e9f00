"""What drives a pipeline's batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from windrow.runtime.pipeline import Pipeline


class Runner(ABC):
    """Runs batches one after another, from where the checkpoint says the last one ended."""

    @abstractmethod
    def step(self, seconds: float) -> bool:
        """Let batches run for at most about so long; whether there was anything to do.

        While there is nothing, it waits for something to arrive; once there was, it returns when
        nothing is left. With no time at all it looks once.
        """

    @abstractmethod
    def close(self) -> None:
        """End, leaving no process behind."""


class Engine(ABC):
    """Where runners come from."""

    runs_queued: ClassVar[bool] = False
    """Whether all steps of a query are in one process, and can have their turns one after another."""

    @abstractmethod
    def prepare(self, uris: Iterable[str]) -> None:
        """Make ready what sources and sinks of these URIs need of the runner to be opened."""

    @abstractmethod
    def start(self, pipeline: Pipeline) -> Runner:
        """Begin to run the pipeline's batches."""
