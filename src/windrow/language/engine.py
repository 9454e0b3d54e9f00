"""DuckDB as the judge of syntax and the giver of types.

One connection serves the process, one caller at a time. It keeps no tables, may not reach files or
the network, and reports its faults as data.
"""

from __future__ import annotations

import atexit
import functools
import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import duckdb
import pyarrow as pa

_LOCK = threading.Lock()
_CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "threads": "1",
}


_CLOCK_READERS = frozenset(
    {
        *("current_time", "current_timestamp", "current_date", "localtime", "localtimestamp"),
        *("ago", "pg_conf_load_time", "pg_postmaster_start_time"),
    }
)
"""Words and macros that read the clock, and so are not among the functions that say that they do."""


@dataclass(eq=False)
class Fault(Exception):
    """What DuckDB had to say against a text."""

    kind: str
    """Parser, Binder, Catalog, Conversion, …"""
    message: str
    subtype: str = ""
    name: str = ""
    candidates: tuple[str, ...] = ()
    position: int | None = None
    """The byte at which it stumbled."""


@functools.cache
def _connection() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config=_CLOSED)
    connection.execute("SET errors_as_json = true")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("PRAGMA disable_optimizer")  # what is asked here is small
    return connection


atexit.register(_connection.cache_clear)  # DuckDB's binding complains of what outlives it


def syntax_fault(sql: str, kind: str = "SELECT") -> Fault | None:
    """What is wrong with the syntax of one SELECT, UPDATE or DELETE statement, if anything."""
    with _LOCK:
        try:
            statements = _connection().extract_statements(sql)
        except duckdb.Error as error:
            return fault_of(error)
    if len(statements) == 1 and statements[0].type.name == kind:
        return None
    return Fault("Parser", "this is not a query" if kind == "SELECT" else f"this is no {kind}")


@functools.lru_cache(maxsize=4096)
def describe(select: str) -> tuple[tuple[str, str], ...]:
    """The column names and types that a SELECT gives; raises Fault."""
    return tuple((str(row[0]), str(row[1])) for row in rows(f"DESCRIBE {select}"))


def binding_fault(tables: Iterable[str], statement: str) -> Fault | None:
    """What DuckDB has against a statement, once these CREATE TABLEs have made what it names."""
    with _LOCK, _made(tables) as connection:
        try:
            connection.execute(f"{_EXPLAIN}{statement}")
        except duckdb.Error as error:
            fault = fault_of(error)
        else:
            return None
    place = None if fault.position is None else fault.position - len(_EXPLAIN)
    return replace(fault, position=place)


def describe_over(tables: Iterable[str], select: str) -> tuple[tuple[str, str], ...]:
    """The column names and types that a SELECT gives over tables that these CREATE TABLEs make."""
    with _LOCK, _made(tables) as connection:
        try:
            found = connection.execute(f"DESCRIBE {select}").fetchall()
        except duckdb.Error as error:
            raise fault_of(error) from None
    return tuple((str(row[0]), str(row[1])) for row in found)


_EXPLAIN = "EXPLAIN "


@contextmanager
def _made(tables: Iterable[str]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A transaction in which there are tables, and after which there are none. The caller holds the
    lock."""
    connection = _connection()
    connection.begin()
    try:
        for each in tables:
            connection.execute(each)
        yield connection
    finally:
        connection.rollback()


def evaluate(select: str) -> pa.Table:
    """The rows of a SELECT; raises Fault."""
    with _LOCK:
        try:
            result = _connection().sql(select).to_arrow_table()
        except duckdb.Error as error:
            fault = fault_of(error)
        else:
            assert isinstance(result, pa.Table)
            return result
    rows(select)  # only this way reports its faults as data
    raise fault


@functools.cache
def functions(*kinds: str) -> frozenset[str]:
    """The names of DuckDB's functions of some kinds: scalar, macro, aggregate, window."""
    return _names("function_type", kinds)


@functools.cache
def unsteady_functions() -> frozenset[str]:
    """Functions whose value does not follow from their arguments alone."""
    return _names("stability", ("VOLATILE", "CONSISTENT_WITHIN_QUERY")) | _CLOCK_READERS


@functools.cache
def reserved_words() -> frozenset[str]:
    """Words that cannot be names unless quoted."""
    found = rows("SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'")
    return frozenset(str(name) for (name,) in found)


def _names(column: str, values: Sequence[str]) -> frozenset[str]:
    wanted = ", ".join(f"'{value}'" for value in values)
    found = rows(f"SELECT DISTINCT function_name FROM duckdb_functions() WHERE {column} IN ({wanted})")
    return frozenset(str(name) for (name,) in found)


def rows(sql: str) -> list[tuple[object, ...]]:
    """The rows of a statement as Python values; raises Fault."""
    with _LOCK:
        try:
            return _connection().execute(sql).fetchall()
        except duckdb.Error as error:
            raise fault_of(error) from None


def fault_of(error: duckdb.Error) -> Fault:
    """An error of a connection that reports its errors as JSON."""
    kind, _, said = str(error).partition(" Error: ")
    try:
        data = json.loads(said)
    except ValueError:
        return Fault(kind, said.partition("\n")[0])
    position = data.get("position", "")
    return Fault(
        kind,
        str(data.get("exception_message", "")),
        str(data.get("error_subtype", "")),
        str(data.get("name", "")),
        tuple(part for part in str(data.get("candidates", "")).split(",") if part),
        int(position) if position.isdigit() else None,
    )
