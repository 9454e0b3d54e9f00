from __future__ import annotations

import os
import threading

import duckdb
import pyarrow as pa
import pytest

from windrow.expressions.engine import INPUT, DataFault, ask, connection, use_threads


def setting(name: str) -> object:
    return connection().sql(f"SELECT current_setting('{name}')").fetchall()[0][0]


def test_each_thread_has_a_connection_of_its_own() -> None:
    found: list[duckdb.DuckDBPyConnection] = []
    thread = threading.Thread(target=lambda: found.append(connection()))
    thread.start()
    thread.join(30)
    assert found[0] is not connection()
    assert connection() is connection()


def test_one_thread_unless_asked_for_more() -> None:
    assert setting("threads") == 1
    use_threads(2)
    assert setting("threads") == 2
    use_threads(1)


def test_a_forked_child_asks_a_duckdb_of_its_own() -> None:
    table = pa.table({"a": [1, 2]})
    assert ask(f"SELECT a + 1 AS b FROM {INPUT}", table).to_pydict() == {"b": [2, 3]}
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, str(ask(f"SELECT sum(a) AS s FROM {INPUT}", table).to_pydict()["s"][0]).encode())
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert os.read(reading, 10) == b"3"
    os.close(reading)
    os.close(writing)


def test_a_fault_of_the_data_is_told_in_one_sentence() -> None:
    with pytest.raises(DataFault, match=r"^Conversion Error: Could not convert string 'x' to INT32[^\n]*$"):
        ask(f"SELECT CAST(a AS INTEGER) AS n FROM {INPUT}", pa.table({"a": ["x"]}))
