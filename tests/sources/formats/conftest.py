"""What tests of formats share: a DuckDB that casts one value at a time, as the reference does."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import duckdb
import pytest


@pytest.fixture(scope="session")
def try_cast() -> Iterator[Callable[[str, str], object]]:
    """TRY_CAST of one text to a type."""
    with duckdb.connect() as connection:

        def cast(text: str, type_: str) -> object:
            row = connection.execute(f"SELECT TRY_CAST(? AS {type_})", [text]).fetchone()
            assert row is not None
            return row[0]

        yield cast
