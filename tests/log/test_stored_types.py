"""What is written to a log and read again is the same, ENUMs and all."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from windrow.log.stored_types import Storage

WORD = "ENUM('u', 'v')"


@pytest.mark.parametrize(
    "value",
    [
        "1",
        f"'u'::{WORD}",
        f"['u'::{WORD}, NULL]",
        f"['v'::{WORD}]::{WORD}[1]",
        f"{{'a': 'u'::{WORD}, 'b': [{{'c': 'v'::{WORD}}}]}}",
        f"MAP {{'u'::{WORD}: 'v'::{WORD}}}",
    ],
)
def test_rows_come_back(value: str) -> None:
    with duckdb.connect() as connection:
        table = connection.sql(f"SELECT {value} AS a, 2 AS b UNION ALL SELECT NULL, 3").to_arrow_table()
    (batch,) = table.combine_chunks().to_batches()
    storage = Storage(table.schema)
    again = storage.read(pa.py_buffer(storage.write(batch)))
    assert again.schema == batch.schema
    assert again.to_pylist() == batch.to_pylist()


def test_no_rows_take_no_room() -> None:
    assert Storage(duckdb.sql("SELECT 1 AS a").to_arrow_table().schema).write(None) == b""
