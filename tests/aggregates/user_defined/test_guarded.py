"""Tables that grow without bound stop their aggregate, compiled or interpreted, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.aggregates.user_defined.playing import defined, given, played
from windrow.aggregates.user_defined.choose import machine_for, obstacle

DOUBLING = """
CREATE AGGREGATE doubling(x int) : bigint {
    TABLE t(v int);
    INITIALIZE: { INSERT INTO t VALUES (x) }
    ITERATE: { INSERT INTO t SELECT v FROM t; INSERT INTO RETURN SELECT count(*) FROM t }
}"""


@pytest.mark.parametrize(
    "text", [DOUBLING, DOUBLING.replace("SELECT v FROM t", "SELECT v FROM t ORDER BY v")]
)
def test_tables_have_a_limit(text: str) -> None:
    aggregate = replace(defined(text), limit=1000)
    assert (obstacle(aggregate) is None) == ("ORDER" not in text)
    machine = machine_for(aggregate)
    returned = played(machine, aggregate, *[("+0", 1)] * 100)
    came = given(returned)
    assert came[:3] == [(1, 2), (2, 4), (3, 8)]
    assert 8 <= len(came) <= 10
    (reason,) = returned.reasons
    assert reason.startswith("doubling is stopped: its tables")
    assert given(played(machine, aggregate, ("+0", 1))) == []
