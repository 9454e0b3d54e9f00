from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

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


FORK = f"""
import os
import pyarrow as pa
from windrow.expressions.engine import ask, use_threads
use_threads(2)
table = pa.table({{"a": [1, 2]}})
ask("SELECT a FROM {INPUT}", table)
child = os.fork()
print(ask("SELECT a + 1 AS b FROM {INPUT}", table).to_pydict(), flush=True)
if child:
    os.waitpid(child, 0)
else:
    os._exit(0)
"""


def test_a_forked_child_asks_a_duckdb_of_its_own(tmp_path: Path) -> None:
    said = tmp_path / "said"
    with said.open("w") as output:
        process = subprocess.Popen([sys.executable, "-c", FORK], stdout=output, start_new_session=True)
        try:
            assert process.wait(30) == 0
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert said.read_text().splitlines() == ["{'b': [2, 3]}"] * 2


def test_a_fault_of_the_data_is_told_in_one_sentence() -> None:
    with pytest.raises(DataFault, match=r"^Conversion Error: Could not convert string 'x' to INT32[^\n]*$"):
        ask(f"SELECT CAST(a AS INTEGER) AS n FROM {INPUT}", pa.table({"a": ["x"]}))
