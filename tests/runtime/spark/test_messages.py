"""Messages are the same after a way through Spark's rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from windrow.delta import Delta
from windrow.errors import CheckpointError
from windrow.operators.base import FAILURES
from windrow.plan.effort import Delays, Tally
from windrow.runtime.execution import Effort, Exchanged, Message, Result
from windrow.runtime.spark.mail import LARGE, Mail, throw_away
from windrow.runtime.spark.messages import DDL, SCHEMA, Failure, decode, encode
from windrow.sinks.base import Part

ROWS = pa.table({"a": pa.array([1, None, 3]), "b": ["x", "y", None]})
DELTA = Delta(7, ROWS, np.array([1, 5, 7]), np.array([9, 9, 9]), np.array([1, 1, -1], np.int8))
FAILED = pa.table([["S"], ['{"a":1}'], ["no number"]], schema=FAILURES)
NONE_FAILED = FAILURES.empty_table()


@pytest.mark.parametrize(
    "message",
    [
        Exchanged("q", "exchange0", 3, 1, DELTA),
        Result("q", 2, 7, 3, DELTA, NONE_FAILED, Delays.until(DELTA)),
        Result("q", 0, 7, 3, Part(Path("/somewhere/part"), "part-1"), FAILED, Delays()),
        Result("q", 0, 7, 0, None, NONE_FAILED, Delays()),
        Effort("q", 1, 3, {"0.Join": Tally(5, 4, 3, 2, 1, 8, 0.5), "1.Changes": Tally()}, {"read": 0.25}),
        Failure("line one\nhint: line two"),
    ],
)
def test_a_message_survives_the_way(message: Message | Failure, tmp_path: Path) -> None:
    (arrived,) = decode([encode(message, Mail(tmp_path, 7))])
    assert _plain(arrived) == _plain(message)
    assert not list(tmp_path.iterdir())


def test_a_large_delta_goes_through_a_file_until_its_batch_is_done(tmp_path: Path) -> None:
    count = LARGE // 8
    large = Delta(7, pa.table({"a": np.arange(count)}), np.arange(count))
    row = encode(Exchanged("q", "exchange0", 3, 1, large), Mail(tmp_path, 7))
    assert row.nbytes < 1000
    throw_away(tmp_path, upto=6)
    (arrived,) = decode([row])
    throw_away(tmp_path, upto=7)
    assert isinstance(arrived, Exchanged)
    assert _comparable(arrived.delta) == _comparable(large)
    with pytest.raises(CheckpointError, match="cannot be read"):
        list(decode([row]))


def test_spark_is_told_the_columns_that_arrow_has() -> None:
    assert [column.split()[0] for column in DDL.split(", ")] == SCHEMA.names


def _plain(message: Message | Failure) -> list[object]:
    return [_comparable(getattr(message, name)) for name in message.__slots__]


def _comparable(value: object) -> object:
    if isinstance(value, Delta):
        return value.clock, value.to_table().to_pylist()
    return value.to_pylist() if isinstance(value, pa.Table) else value
