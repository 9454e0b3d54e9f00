"""The inline runner: the same stages, in this process, without a JVM."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from windrow.log.reading import Offsets
from windrow.runtime.checkpoint import Checkpoint, read_json, unusable, write_json
from windrow.runtime.execution import NUMBER, Batch, run_here, work_of
from windrow.runtime.pipeline import Pipeline
from windrow.runtime.remaking import run_with_state
from windrow.runtime.runner import Engine, Runner
from windrow.runtime.state import MemoryState, Places


class Journal:
    """How far the runner is: the offsets of the last batch, written before it runs and after."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._path = checkpoint.path / "journal" / "inline.json" if checkpoint.lasting else None
        self.done: Offsets = {NUMBER: 0}
        self.begun: Offsets | None = None
        """The end of a batch that was begun and, as far as anybody knows, not done."""
        if self._path and self._path.exists():
            self._read(self._path)

    def _read(self, path: Path) -> None:
        try:
            told = read_json(path)
            self.done, self.begun = dict(told["done"]), told["begun"]
        except (KeyError, TypeError, ValueError) as error:
            raise unusable(path) from error

    def begin(self, batch: Batch) -> None:
        self.begun = batch.end
        self._write()

    def end(self, batch: Batch) -> None:
        self.done, self.begun = batch.end, None
        self._write()

    def _write(self) -> None:
        if self._path:
            write_json(self._path, {"done": self.done, "begun": self.begun})


class InlineRunner(Runner):
    """Runs batches when asked to, on the asking thread."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._journal = Journal(pipeline.checkpoint)
        pipeline.go_on_from(self._journal.done)
        checkpoint = pipeline.checkpoint
        self._places = (
            Places.under(checkpoint.path) if checkpoint.lasting else Places(lambda _: MemoryState())
        )

    def step(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        worked = False
        self._pipeline.backlog.active = True
        try:
            while True:
                self._pipeline.arrived.clear()
                self._pipeline.pulse()
                ran = self._run_batch()
                worked = worked or ran
                left = deadline - time.monotonic()
                if left <= 0 or not (ran or (not worked and self._pipeline.arrived.wait(left))):
                    return worked
        finally:
            self._pipeline.backlog.active = False

    def close(self) -> None:
        """There is nothing to end."""

    def _run_batch(self) -> bool:
        start = self._journal.done
        end = self._journal.begun or self._pipeline.next_batch(start)
        if end is None:
            return False
        batch = Batch(start, end)
        self._journal.begin(batch)
        began = time.perf_counter()
        work, logs = work_of(self._pipeline.checkpoint.path, batch, 1), self._pipeline.logs
        run = partial(run_here, work, logs, self._places)
        results = run_with_state(work, logs, run, self._pipeline.notices.append)
        self._pipeline.commit(batch, results, time.perf_counter() - began)
        self._journal.end(batch)
        return True


class InlineEngine(Engine):
    """This process needs no preparing."""

    runs_queued = True

    def prepare(self, uris: Iterable[str]) -> None:
        """Sources and sinks find here what they need."""

    def start(self, pipeline: Pipeline) -> Runner:
        return InlineRunner(pipeline)
