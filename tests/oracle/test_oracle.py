"""Random streams and queries against DuckDB: inline by default, a share of them on Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import windrow
from tests.conftest import HandMovedWall
from tests.oracle.harness import Play
from tests.oracle.reference import StreamReference
from tests.oracle.scenario import scenario

_NO_TIMEOUT = "1000 days"
"""No stream counts as idle: that would make tuples late, which the reference knows nothing of."""


@contextmanager
def inline(wall: HandMovedWall, **options: object) -> Iterator[windrow.Database]:
    with windrow.connect(
        runner="inline",
        wall_clock=wall,
        idle_timeout=_NO_TIMEOUT,
        **options,  # type: ignore[arg-type]
    ) as db:
        yield db


@given(st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_those_of_sql_over_the_tuples_so_far(chance: Random) -> None:
    wall = HandMovedWall()
    with inline(wall) as db:
        Play(db, wall, scenario(chance)).run()


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_right_in_longer_lives(chance: Random) -> None:
    wall = HandMovedWall()
    with inline(wall, batch_rows=chance.choice([1, 3, 1_000_000])) as db:
        Play(db, wall, scenario(chance, length=60)).run()


@pytest.mark.parametrize("rows", [1, 5])
def test_answers_do_not_depend_on_the_size_of_batches(rows: int) -> None:
    for seed in range(6):
        wall = HandMovedWall()
        with inline(wall, batch_rows=rows) as db:
            Play(db, wall, scenario(Random(seed))).run()


def test_answers_are_right_with_logs_and_state_on_disk(tmp_path_factory: pytest.TempPathFactory) -> None:
    for seed in range(3):
        wall = HandMovedWall()
        with inline(wall, checkpoint=tmp_path_factory.mktemp("checkpoint")) as db:
            Play(db, wall, scenario(Random(seed))).run()


SPARK_WALL = HandMovedWall()


@pytest.fixture(scope="module")
def on_spark() -> Iterator[windrow.Database]:
    with windrow.connect(master="local[2]", wall_clock=SPARK_WALL, idle_timeout=_NO_TIMEOUT) as db:
        yield db


@pytest.mark.spark
@pytest.mark.timeout(300)
@pytest.mark.parametrize("driver_rows", [0, 10_000], ids=["workers", "driver"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_answers_are_right_on_spark(on_spark: windrow.Database, seed: int, driver_rows: int) -> None:
    on_spark.execute(f"SET driver_rows = {driver_rows}")
    story = scenario(Random(seed), suffix=f"_{seed}_{driver_rows}", length=12)
    Play(on_spark, SPARK_WALL, story).run()


def test_the_reference_knows_the_law_of_slack() -> None:
    """Slack 5.   arrives  20  15  14  30  24  25  NULL
    floor before it        -   15  15  15  25  25
    """
    reference = StreamReference(0, slack=5)
    reference.arrive([(20,), (15,), (14,), (30,), (24,), (25,), (None,)], 0)
    assert [each.ts for each in reference.in_time_order()] == [15, 20, 25, 30]
    assert [each.row for each in reference.late] == [(14,), (24,)]
    assert (reference.rejected, reference.clock) == (1, 25)
    reference.advance(30)
    reference.arrive([(30,), (31,)], 0)
    assert len(reference.late) == 3
