"""A process that goes on with a checkpoint, tells when its first answer is out, and is killed.

    python -m bench.measuring.restarted CHECKPOINT NUMBER ROWS QUERY

pushes so many packets, from a number on, and prints the time.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import windrow
from bench.measuring.traffic import CHUNK, COLUMNS, packets

ROOT = Path(__file__).parents[2]
"""From where `bench` is found."""


def seconds_to_answer(checkpoint: Path, first: int, rows: int, query: str) -> float:
    """From the start of the process to the answer to its packets."""
    begin = time.time()
    command = [sys.executable, "-m", __name__, str(checkpoint), str(first), str(rows), query]
    told = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout
    return float(told) - begin


def _main(checkpoint: str, first: str, rows: str, query: str) -> None:
    with windrow.connect(checkpoint=checkpoint) as db:
        db.execute(f"CREATE STREAM S ({COLUMNS}) ORDER BY ts")
        db.execute(f"INSERT INTO 'blackhole:' {query}")
        for number in range(int(first), int(first) + int(rows), CHUNK):
            db.push("S", packets(number * 100, min(CHUNK, int(rows))))
        db.run_until_idle()
        sys.stdout.write(f"{time.time()}\n")
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    _main(*sys.argv[1:])
