"""A process of its own that writes to logs: until the disk is full, or until it is told to end.

Usage: log_writer.py FOLDER full LIMIT… | log_writer.py FOLDER steady | log_writer.py FOLDER folding
"""

from __future__ import annotations

import resource
import select
import sys
from pathlib import Path

from tests.log.conftest import EXTERNAL, one
from windrow.errors import SourceError
from windrow.log.file_log import FileLog
from windrow.log.stream_log import part_schemas


def fill(log: FileLog, limit: int) -> None:
    """Append until the disk is full, then once more with room; tells how many entries were taken."""
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, unlimited[1]))
    count = 0
    try:
        while True:
            log.append(*one(count, count), {"line": count})
            count += 1
    except SourceError as error:
        sys.stdout.write(f"{count} {error.message}\n")
    resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    log.append(*one(-1, count), {"line": -1})


def write_steadily(log: FileLog) -> None:
    """Append, and drop what is old, until a line comes in."""
    count = 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        log.append(*one(count, count))
        count += 1
        log.drop_before(count - 100)
    sys.stdout.write(f"{count}\n")


def fold_for_ever(log: FileLog) -> None:
    """Append, and fold what is old into its last entry; say what is there."""
    while True:
        index = log.index()
        log.append(*one(index.end, index.end))
        if len(index.entries) > 5:
            log.fold(index.end - 2, *one(index.end - 3, index.end - 3))
        sys.stdout.write(f"{index.end}\n")
        sys.stdout.flush()


def opened(folder: Path) -> FileLog:
    return FileLog(folder, part_schemas(EXTERNAL), durable=False, segment_bytes=4096)


def main() -> None:
    folder, what, *limits = sys.argv[1:]
    for limit in limits:
        log = opened(Path(folder, limit))
        fill(log, int(limit))
        log.close()
    if what == "folding":
        fold_for_ever(opened(Path(folder)))
    if what == "steady":
        log = opened(Path(folder))
        write_steadily(log)
        log.close()


if __name__ == "__main__":
    main()
