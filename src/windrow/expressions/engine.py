"""The DuckDB that evaluates expressions: one connection for each thread of each process.

Every windrow process asks the same DuckDB with the same settings, so an expression means the same
in the binder, in a worker and in a snapshot query.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from windrow.errors import RunnerError

INPUT = "__input"
"""The name under which a statement sees its input."""

_SETTINGS = {
    "threads": "1",
    "preserve_insertion_order": "true",
    "TimeZone": "'UTC'",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}

_DATA_ERRORS = (duckdb.DataError, duckdb.InvalidInputException)
"""What DuckDB raises when a value, and not the statement, is to blame."""

_local = threading.local()
_inherited: list[duckdb.DuckDBPyConnection] = []
"""Connections of a parent process. Closing one would wait for threads that did not survive the fork."""


class DataFault(Exception):
    """Some row cannot be evaluated; the message is DuckDB's, without its drawing of the statement."""


def connection() -> duckdb.DuckDBPyConnection:
    """This thread's connection. A forked child opens its own: DuckDB does not survive a fork."""
    if getattr(_local, "process", None) != os.getpid():
        if hasattr(_local, "connection"):
            _inherited.append(_local.connection)
        _local.connection = duckdb.connect()
        for name, value in _SETTINGS.items():
            _local.connection.execute(f"SET {name} = {value}")
        _local.process = os.getpid()
    opened: duckdb.DuckDBPyConnection = _local.connection
    return opened


def use_threads(count: int) -> None:
    """Let this thread's statements use so many threads; 1 unless this is called."""
    connection().execute(f"SET threads = {int(count)}")


def ask(statement: str, table: pa.Table) -> pa.Table:
    """What a statement over `INPUT` answers; rows come in their order."""
    engine = connection()
    engine.register(INPUT, table)
    try:
        with _sorted_errors(statement):
            answer: pa.Table = engine.sql(statement).to_arrow_table()
    finally:
        engine.unregister(INPUT)
    return answer


@contextmanager
def _sorted_errors(statement: str) -> Iterator[None]:
    try:
        yield
    except _DATA_ERRORS as error:
        raise DataFault(_without_drawing(error)) from error
    except duckdb.Error as error:
        raise RunnerError(f"{_without_drawing(error)}; the statement was: {statement}") from error


def _without_drawing(error: duckdb.Error) -> str:
    return str(error).split("\n\nLINE ")[0].strip()
