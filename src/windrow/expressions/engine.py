"""The DuckDB that evaluates expressions: one connection for each thread of each process.

Every windrow process asks the same DuckDB with the same settings, so an expression means the same
in the binder, in a worker and in a snapshot query.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
from duckdb.func import ARROW, SPECIAL

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

Compute: TypeAlias = "Callable[[pa.ChunkedArray[Any]], pa.Array[Any]]"

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
        _local.connection = _settled(duckdb.connect())
        _local.process = os.getpid()
    opened: duckdb.DuckDBPyConnection = _local.connection
    return opened


def _settled(opened: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    for name, value in _SETTINGS.items():
        opened.execute(f"SET {name} = {value}")
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


def tell(
    statement: str, parameters: Mapping[str, int] | None = None, table: pa.Table | None = None
) -> None:
    """Carry out a statement that answers nothing, over `INPUT` where a table is given."""
    engine = connection()
    if table is not None:
        engine.register(INPUT, table)
    try:
        with _sorted_errors(statement):
            engine.execute(statement, parameters or None)
    finally:
        if table is not None:
            engine.unregister(INPUT)


def fetch(statement: str, parameters: Mapping[str, int] | None = None) -> pa.Table:
    """What a statement over tables of the connection's own answers."""
    with _sorted_errors(statement):
        answer: pa.Table = connection().sql(statement, params=parameters).to_arrow_table()
    return answer


@dataclass(frozen=True, slots=True)
class Function:
    """A function of one column that statements can call by a name."""

    name: str
    compute: Compute
    argument: str
    result: str


@contextmanager
def functions(those: Iterable[Function]) -> Iterator[None]:
    """Let statements call functions of our own meanwhile."""
    engine, known = connection(), list(those)
    for each in known:
        argument, result = duckdb.type(each.argument), duckdb.type(each.result)
        compute: Any = _beside(each.compute)
        engine.create_function(each.name, compute, [argument], result, type=ARROW, null_handling=SPECIAL)
    try:
        yield
    finally:
        for each in known:
            engine.remove_function(each.name)


def _beside(compute: Compute) -> Any:
    """A function that is called while this thread's connection is busy, with another one for it to use."""

    def called(column):  # type: ignore[no-untyped-def]  # DuckDB would evaluate annotations
        busy = connection()
        _local.connection = _settled(busy.cursor())
        try:
            return compute(column)
        finally:
            _local.connection.close()
            _local.connection = busy

    return called


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
