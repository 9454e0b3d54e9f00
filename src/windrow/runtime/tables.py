"""The DuckDB that holds what relations hold: one connection for each database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from windrow.language.engine import fault_of

_CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


class Tables:
    """A DuckDB without files or network. One thread uses it at a time."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(config=_CLOSED)
        self.run("SET TimeZone = 'UTC'")

    def run(self, statement: str) -> None:
        self._connection.execute(statement)

    def ask(self, select: str) -> pa.Table:
        """What a query answers; raises Fault."""
        try:
            answer: pa.Table = self._connection.sql(select).to_arrow_table()
        except duckdb.Error as error:
            raise fault_of(error) from None
        return answer

    @contextmanager
    def seeing(self, **tables: pa.Table) -> Iterator[None]:
        """In the block, Arrow tables can be read under these names."""
        for name, table in tables.items():
            self._connection.register(name, table)
        try:
            yield
        finally:
            for name in tables:
                self._connection.unregister(name)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """What the block does is done if it ends well, and never was if it does not."""
        self._connection.begin()
        try:
            yield
            self._connection.commit()
        except BaseException:
            self._connection.rollback()
            raise

    def close(self) -> None:
        self._connection.close()
