"""Whatever fails, and whenever, what comes out of a pipeline is what SQL says of the whole input.

A seed chooses the faults and their order. WINDROW_CHAOS_SEED gives one; WINDROW_CHAOS_FAULTS says how many
the long test has.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from tests.faults import clusters, orders
from tests.faults.conftest import Family, Start
from tests.faults.feeders import Filer
from tests.faults.killed_driver import WINDOWS
from tests.faults.scene import Scene

FOLDER = Path(__file__).parent
DRIVER = FOLDER / "chaotic_driver.py"
LEISURELY = {"together": 20, "pause": 0.2}
AT_ONCE = 0.3
"""The share of faults after which nobody waits for something to come out."""
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": "-XX:-UsePerfData",
    "spark.python.daemon.module": "unruly_daemon",
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.task.duration.threshold": "1s",
}


Members = Callable[[], dict[int, str]]
"""Processes that serve drivers and are not theirs: their numbers and commands."""


class Chaos:
    """A scene on a cluster, where things go wrong."""

    def __init__(self, scene: Scene, others: Members, moments: random.Random) -> None:
        self._scene = scene
        self._others = others
        self._moments = moments
        self.driver = scene.driver()

    def happens(self, fault: str) -> None:
        before = len(self._scene.parts())
        if fault == "kill-driver":
            self.driver.kill()
            self.driver.is_gone()
            self.driver = self._scene.driver()
        elif fault in KILLS:
            self._kill(KILLS[fault])
        else:
            order = orders.given(fault)
            self.driver.until(lambda: not order.exists(), f"somebody is found to {fault}")
        if self._moments.random() >= AT_ONCE:
            self.driver.until(lambda: len(self._scene.parts()) > before, f"it goes on after {fault}")

    def _kill(self, choose: Callable[[dict[int, str]], list[int]]) -> None:
        def found() -> list[int]:
            return choose(self.driver.members() | self._others())

        self.driver.until(found, "there is somebody to kill")
        if victims := found():
            clusters.kill(self._moments.choice(victims))


KILLS = {"kill-executor": clusters.executors, "kill-worker": clusters.python_workers}
FAULTS = ("kill-driver", *KILLS, *orders.ORDERS)


@pytest.fixture
def seed() -> int:
    chosen = int(os.environ.get("WINDROW_CHAOS_SEED") or random.SystemRandom().randrange(10**6))
    print(f"WINDROW_CHAOS_SEED={chosen}")  # noqa: T201 (pytest shows it if the test fails)
    return chosen


@pytest.fixture
def unruly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers take orders, and have no package but the one that is sent to them."""
    (tmp_path / "orders").mkdir()
    for name, value in {
        orders.FOLDER: tmp_path / "orders",
        "PYSPARK_PYTHON": clusters.bare_python(tmp_path, FOLDER),
        "SPARK_HOME": clusters.spark_home(tmp_path / "spark"),
        "SPARK_CONF_DIR": clusters.configured(tmp_path / "conf", SETTINGS),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, str(value))


def in_chaos(
    start: Start, folder: Path, master: str, faults: list[str], seed: int, others: Members = dict
) -> None:
    """Let faults happen one after another, and compare what came out."""

    def launch(driver_rows: int) -> Family:
        return start(str(DRIVER), master, str(folder / "checkpoint"), str(folder), str(driver_rows))

    scene = Scene(folder, WINDOWS, launch)
    with (
        Filer(folder / "bids_in", "parquet", **LEISURELY),
        Filer(folder / "auctions_in", "parquet", **LEISURELY),
    ):
        chaos = Chaos(scene, others, random.Random(seed))
        for fault in faults:
            chaos.happens(fault)
    scene.finish(chaos.driver)
    for name in scene.outputs:
        assert differences(folder, name) == [], name


RIGHT = {
    "pairs": """SELECT b.id, b.made AS bid_at, a.made AS auction_at, greatest(b.made, a.made) AS begins,
        least(b.made, a.made) + INTERVAL 2 SECOND AS ends FROM bids AS b JOIN auctions AS a USING (id)""",
    "kinds": "SELECT DISTINCT kind, made, made AS begins, made + INTERVAL 1 SECOND AS ends FROM bids",
    "totals": """SELECT kind, count(*) AS count, sum(id)::HUGEINT AS total, max(id) AS newest,
        slot AS begins, slot + INTERVAL 500 MILLISECOND AS ends
        FROM (SELECT unnest(generate_series(time_bucket(INTERVAL 500 MILLISECOND, min(made)),
            max(made) + INTERVAL 2 SECOND, INTERVAL 500 MILLISECOND)) AS slot FROM bids)
        JOIN bids ON made > slot - INTERVAL 2 SECOND AND made <= slot GROUP BY ALL""",
    "lonely": """SELECT b.id, b.made, b.made AS begins,
        least(b.made + INTERVAL 2 SECOND, coalesce(a.made, b.made + INTERVAL 2 SECOND)) AS ends
        FROM bids AS b LEFT JOIN auctions AS a USING (id)
        UNION ALL SELECT b.id, b.made, greatest(b.made, a.made + INTERVAL 1 SECOND),
        b.made + INTERVAL 2 SECOND FROM bids AS b JOIN auctions AS a USING (id)""",
}
"""From when to when each row is in the answer, over all of the input; where it never is, it ends before it
begins. An id is of one bid and one auction at most."""


def differences(folder: Path, name: str) -> list[tuple[object, ...]]:
    """Where the changes in the sink do not add up, instant by instant, to those of the right answer."""
    with duckdb.connect() as engine:
        for stream in ("bids", "auctions"):
            engine.execute(f"CREATE VIEW {stream} AS FROM '{folder}/{stream}_in/*.parquet'")
        engine.execute(f"CREATE TABLE spells AS {RIGHT[name]}")
        engine.execute(f"""
            CREATE TABLE changes AS
            SELECT begins AS instant, * EXCLUDE (begins, ends), 1 AS sign FROM spells WHERE begins < ends
            UNION ALL SELECT ends, * EXCLUDE (begins, ends), -1 FROM spells WHERE begins < ends
            UNION ALL SELECT ts, * EXCLUDE (op, ts), CASE WHEN op IN ('+I', '+U') THEN -1 ELSE 1 END
            FROM '{folder}/{name}/part-*.parquet'
        """)
        assert engine.execute("SELECT count(*) FROM spells").fetchone() > (0,)
        return engine.execute(
            "SELECT * EXCLUDE (sign), sum(sign) FROM changes GROUP BY ALL HAVING sum(sign) <> 0"
            " ORDER BY instant LIMIT 10"
        ).fetchall()


@pytest.mark.spark
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("unruly")
def test_in_chaos_on_executors_the_sink_gets_what_sql_says(start: Start, tmp_path: Path, seed: int) -> None:
    faults = random.Random(seed).sample(FAULTS, len(FAULTS))
    in_chaos(start, tmp_path, "local-cluster[2,1,2048]", faults, seed)


@pytest.fixture
def standalone(tmp_path: Path, free_port: int) -> Iterator[clusters.Standalone]:
    cluster = clusters.Standalone(tmp_path / "cluster", free_port)
    yield cluster
    cluster.close()


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("unruly")
def test_in_long_chaos_on_a_cluster_the_sink_gets_what_sql_says(
    start: Start, standalone: clusters.Standalone, tmp_path: Path, seed: int
) -> None:
    faults = random.Random(seed).choices(FAULTS, k=int(os.environ.get("WINDROW_CHAOS_FAULTS", 100)))
    in_chaos(start, tmp_path, standalone.url, faults, seed, standalone.members)
