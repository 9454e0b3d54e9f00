"""A process that writes numbered batches to a file sink and is made to be killed.

`python file_writer.py TARGET PROGRESS BATCHES`: goes on after the last batch noted in PROGRESS. A batch
is noted once it is committed, so one that was not noted is written again, cut into other parts.
"""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa

from windrow.delta import Delta
from windrow.schema import Schema
from windrow.sinks.files import DirectorySink

ROWS = 1000


def main(target: Path, progress: Path, batches: int) -> None:
    sink = DirectorySink(target, "parquet", owner="test")
    sink.open(Schema.of(("id", "BIGINT")))
    done = int(progress.read_text()) if progress.exists() else -1
    print("ready", flush=True)  # noqa: T201
    for batch in range(done + 1, batches):
        cuts = [0, os.getpid() % ROWS, ROWS]
        ids = np.arange(batch * ROWS, (batch + 1) * ROWS)
        parts = [
            sink.write_part(batch, n, Delta(0, pa.table({"id": ids[a:b]}), ids[a:b]))
            for n, (a, b) in enumerate(pairwise(cuts))
        ]
        sink.commit(batch, [part for part in parts if part is not None])
        fresh = progress.with_suffix(".new")
        fresh.write_text(str(batch))
        fresh.replace(progress)
    sink.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
