"""What is compiled, what is not and why, and that machine code is found again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import esl
from tests.aggregates.user_defined.playing import defined
from windrow.aggregates.compiler.module import compiled
from windrow.aggregates.user_defined.choose import obstacle

COMPILED = [
    "AVG",
    "DECAY_ONLINE_AVG",
    "CUM_AVG",
    "MYAVG",
    "WINDOW_MAX",
    "ACTIVE_MAX",
    "ITEM_GROUPS",
    "SAMPLE",
]


@pytest.mark.parametrize("name", COMPILED)
def test_what_the_paper_shows_is_compiled(name: str) -> None:
    assert obstacle(defined(getattr(esl, name))) is None


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("SELECT n FROM t ORDER BY n", "ORDER BY"),
        ("SELECT max(n) FROM t GROUP BY n", "GROUP BY"),
        ("SELECT DISTINCT n FROM t", "DISTINCT"),
        ("SELECT a.n FROM t AS a JOIN t AS b ON a.n = b.n", "a join"),
        ("SELECT n FROM t UNION ALL SELECT 1", "UNION and its like"),
        ("SELECT n FROM (SELECT n FROM t) AS q", "a query in FROM"),
        ("SELECT length(v) FROM t", "length()"),
        ("SELECT 1 FROM t WHERE v < 'a'", "the order of strings"),
        ("SELECT stddev(n) FROM t", 'STDDEV("t"."n") over rows'),
    ],
)
def test_what_is_not_compiled_says_why(action: str, reason: str) -> None:
    text = f"""CREATE AGGREGATE f(x bigint) : bigint {{
        TABLE t(n bigint, v varchar);
        INITIALIZE: ITERATE: {{ INSERT INTO t VALUES (x, 'a') }}
        TERMINATE: {{ INSERT INTO RETURN {action} }}
    }}"""
    assert obstacle(defined(text)) == reason


def test_types_that_are_not_compiled() -> None:
    text = esl.AVG.replace("tsum Real", "tsum DECIMAL(9,2)")
    assert obstacle(defined(text)) == "the type DECIMAL(9,2)"


LOAD = """
import sys, time
from pathlib import Path
from windrow.aggregates.compiler.loading import loaded
run = loaded(Path(sys.argv[1]).read_text())
print(sum(run.stats.cache_hits.values()))
"""


def test_the_next_start_finds_the_machine_code(tmp_path: Path) -> None:
    text = tmp_path / "module.txt"
    text.write_text(compiled(defined(esl.AVG)).text)
    environment = {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}

    def load() -> str:
        done = subprocess.run(
            [sys.executable, "-c", LOAD, str(text)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=100,
            check=True,
        )
        return done.stdout.strip()

    assert load() == "0"
    assert load() == "1"
