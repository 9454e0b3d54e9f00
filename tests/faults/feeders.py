"""Tuples that come all the time, from a socket and as files, whether anybody takes them or not."""

from __future__ import annotations

import socket
import threading
import time
from abc import ABC, abstractmethod
from datetime import datetime, timedelta
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq

BEGIN = datetime(2026, 1, 1)
SCHEMA = pa.schema([("id", pa.int64()), ("kind", pa.int32()), ("made", pa.timestamp("us"))])


class Feeder(ABC):
    """Gives each tuple once, in the order of ids and of time, which goes by as it does outside.

    So many come together, and then none for some seconds.
    """

    def __init__(self, together: int = 100, pause: float = 0.05) -> None:
        self._together, self._pause = together, pause
        self.given = 0
        """Ids from 0 up to here."""
        self._began = time.monotonic()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *failed: object) -> None:
        self._stopping.set()
        self._thread.join()

    @abstractmethod
    def feed(self) -> None:
        """Give some more."""

    def take(self) -> pa.Table:
        """Tuples that were never given; many have the same instant."""
        passed = int((time.monotonic() - self._began) * 100)
        ids = range(self.given, self.given + self._together)
        self.given += self._together
        made = [BEGIN + timedelta(milliseconds=10 * passed)] * self._together
        return pa.table([list(ids), [each % 7 for each in ids], made], schema=SCHEMA)

    def _run(self) -> None:
        while not self._stopping.wait(self._pause):
            self.feed()


class Bidder(Feeder):
    """Sends CSV lines. What it sent over a connection that broke it does not send again."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._address = ("127.0.0.1", port)
        self._connection: socket.socket | None = None
        self.connected_at: int | None = None
        """The first id that went over the connection that there is now."""

    def __exit__(self, *failed: object) -> None:
        super().__exit__(*failed)
        if self._connection is not None:
            self._connection.close()

    def feed(self) -> None:
        try:
            if self._connection is None:
                self._connection = socket.create_connection(self._address, 5)
                self.connected_at = self.given
            lines = pa.BufferOutputStream()
            csv.write_csv(self.take(), lines, csv.WriteOptions(include_header=False))
            self._connection.sendall(lines.getvalue())
        except OSError:
            self._hang_up()

    def _hang_up(self) -> None:
        self.connected_at = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class Filer(Feeder):
    """Puts files into a folder, each as a whole."""

    def __init__(self, folder: Path, form: str, together: int = 100, pause: float = 0.05) -> None:
        super().__init__(together, pause)
        folder.mkdir()
        self._folder = folder
        self._form = form

    def feed(self) -> None:
        target = self._folder / f"{self.given:09d}.{self._form}"
        hidden = target.with_name(f".{target.name}")
        if self._form == "parquet":
            pq.write_table(self.take(), hidden)
        else:
            csv.write_csv(self.take(), hidden)
        hidden.rename(target)
