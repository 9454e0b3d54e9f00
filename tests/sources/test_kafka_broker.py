"""Kafka for real: a broker from its Maven jars on loopback, read and written through Spark.

The connector is the one of this Spark's version, or what WINDROW_KAFKA_JARS holds. Where a mirror of
Maven Central does not have it yet, that of the release before stands in for it.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import windrow
from windrow.catalog import Stream
from windrow.delta import Delta
from windrow.errors import SinkError, SourceError
from windrow.schema import Schema
from windrow.sinks.base import Sink
from windrow.sinks.registry import open_sink
from windrow.sources.base import Inlet
from windrow.sources.kafka import KafkaSource
from windrow.sources.kafka_connector import IVY_SETTINGS, KAFKA_PACKAGE

pytestmark = [pytest.mark.slow, pytest.mark.spark, pytest.mark.timeout(300)]

STREAM = Stream("Bids", Schema.of(("item", "VARCHAR"), ("price", "INTEGER")))
BROKER = ("org.apache.kafka:kafka_2.13:4.1.2", "org.apache.kafka:kafka-tools:4.1.2")
CONNECTORS: tuple[tuple[str, ...], ...] = (
    (KAFKA_PACKAGE,),
    (
        "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
        "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.1.0-preview1",
        "org.apache.kafka:kafka-clients:3.9.2",
        "org.apache.commons:commons-pool2:2.13.1",
    ),
)
EXCLUDE_ALL = (
    "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
)


def fetch(coordinates: Sequence[str], folder: Path) -> bool:
    """The jars from Maven: with all that a single one needs, or just those if several are named."""
    alone = EXCLUDE_ALL if len(coordinates) > 2 else ""
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version>{alone}</dependency>"
        for group, artifact, version in (one.split(":") for one in coordinates)
    )
    folder.mkdir()
    (folder / "pom.xml").write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>test</groupId><artifactId>jars</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>"
    )
    command = [
        "mvn",
        "-q",
        "-B",
        "dependency:copy-dependencies",
        "-DoutputDirectory=jars",
        "-DincludeScope=runtime",
    ]
    return (
        subprocess.run(command, cwd=folder, timeout=240, capture_output=True, check=False).returncode == 0
    )


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [taken.getsockname()[1] for taken in sockets]
    for taken in sockets:
        taken.close()
    return ports


@dataclass(frozen=True)
class Broker:
    port: int
    classpath: str
    connector: str

    def java(self, main: str, *arguments: str) -> list[str]:
        return ["java", "-Xmx256m", "-XX:+UseSerialGC", "-cp", self.classpath, main, *arguments]

    def new_topic(self, partitions: int = 1) -> str:
        name = f"bids-{uuid.uuid4().hex[:8]}"
        where = ["--bootstrap-server", f"127.0.0.1:{self.port}"]
        what = ["--create", "--topic", name, "--partitions", str(partitions)]
        command = self.java("org.apache.kafka.tools.TopicCommand", *where, *what)
        subprocess.run(command, check=True, timeout=60, capture_output=True)
        return name

    def uri(self, topic: str, options: str = "") -> str:
        return f"kafka://127.0.0.1:{self.port}/{topic}?jars={self.connector}{options}"


@pytest.fixture(scope="module")
def broker(connector: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    if not (shutil.which("mvn") and shutil.which("java")):
        pytest.fail("a broker needs java, and mvn to get its jars")
    folder = tmp_path_factory.mktemp("broker")
    if not fetch(BROKER, folder / "maven"):
        pytest.fail("the broker's jars cannot be had from Maven")
    port, controller = free_ports(2)
    broker = Broker(port, f"{folder}/maven/jars/*", connector)
    (folder / "server.properties").write_text(
        "process.roles=broker,controller\nnode.id=1\n"
        f"controller.quorum.voters=1@127.0.0.1:{controller}\ncontroller.listener.names=CONTROLLER\n"
        f"listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}\n"
        f"advertised.listeners=PLAINTEXT://127.0.0.1:{port}\n"
        "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT\n"
        f"log.dirs={folder}/data\nauto.create.topics.enable=false\n"
        "offsets.topic.replication.factor=1\noffsets.topic.num.partitions=1\n"
        "transaction.state.log.replication.factor=1\ntransaction.state.log.min.isr=1\n"
    )
    cluster = urlsafe_b64encode(b"windrow's broker").decode().rstrip("=")
    settings = str(folder / "server.properties")
    formatted = broker.java("kafka.tools.StorageTool", "format", "-t", cluster, "-c", settings)
    subprocess.run(formatted, check=True, timeout=60, capture_output=True)
    with (folder / "broker.out").open("wb") as out:
        process = subprocess.Popen(broker.java("kafka.Kafka", settings), stdout=out, stderr=out, cwd=folder)
    try:
        until(lambda: answers(port) or process.poll() is not None, 60)
        assert process.poll() is None, (folder / "broker.out").read_text()
        yield broker
    finally:
        process.kill()
        process.wait(30)


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not holds():
        assert time.monotonic() < deadline, "it did not come to pass in time"
        pause.wait(0.05)


@pytest.fixture(scope="module")
def connector(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with the connector's jars."""
    if given := os.environ.get("WINDROW_KAFKA_JARS"):
        return given
    for coordinates in CONNECTORS:
        folder = tmp_path_factory.mktemp("connector") / "maven"
        if fetch(coordinates, folder):
            return str(folder / "jars")
    pytest.fail("Spark's Kafka connector cannot be had from Maven")


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session that starts without the connector: the first source or sink brings it."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def delta_of(rows: Sequence[tuple[str, int]], signs: Sequence[int] | None = None) -> Delta:
    items, prices = zip(*rows, strict=True)
    table = pa.table([pa.array(items), pa.array(prices, pa.int32())], schema=STREAM.schema.arrow)
    sign = None if signs is None else np.array(signs, np.int8)
    return Delta(9, table, np.arange(len(rows)), sign=sign)


def opened(uri: str) -> Sink:
    sink = open_sink(uri, {})
    sink.open(STREAM.schema)
    return sink


def in_topic(
    spark: SparkSession, broker: Broker, topic: str
) -> list[tuple[str | None, dict[str, Any], dict[str, str]]]:
    """Key, value and headers of each message, by partition and offset."""
    read = spark.read.format("kafka").option("kafka.bootstrap.servers", f"127.0.0.1:{broker.port}")
    messages = read.option("subscribe", topic).option("includeHeaders", "true").load()
    return [
        (
            None if row.key is None else row.key.decode(),
            json.loads(row.value),
            {header.key: header.value.decode() for header in row.headers},
        )
        for row in messages.orderBy("partition", "offset").collect()
    ]


def test_changes_are_json_messages_that_tell_a_repetition(spark: SparkSession, broker: Broker) -> None:
    topic = broker.new_topic()
    delta = delta_of([("pen", 1), ("cup", 2), ("pen", 1)], [1, 1, -1])
    before = opened(broker.uri(topic, "&key=ITEM"))
    before.write(7, delta)
    before.write(7, delta)
    opened(broker.uri(topic, "&key=item")).write(7, delta)
    expected = [
        (
            "pen",
            {"op": "+I", "ts": "1970-01-01 00:00:00", "item": "pen", "price": 1},
            {"batch": "7", "row": "0"},
        ),
        (
            "cup",
            {"op": "+I", "ts": "1970-01-01 00:00:00.000001", "item": "cup", "price": 2},
            {"batch": "7", "row": "1"},
        ),
        (
            "pen",
            {"op": "-D", "ts": "1970-01-01 00:00:00.000002", "item": "pen", "price": 1},
            {"batch": "7", "row": "2"},
        ),
    ]
    assert in_topic(spark, broker, topic) == [*expected, *expected]


@pytest.mark.usefixtures("spark")
def test_a_topic_comes_whole_and_once_over_restarts(
    broker: Broker, recorder: Callable[..., Any], tmp_path: Path
) -> None:
    """Written by one sink, read by three sources one after another from one checkpoint."""
    uri = broker.uri(broker.new_topic(partitions=3))
    sink = opened(f"{uri}&key=item")
    inlet = recorder(STREAM)
    for batch in range(3):
        sink.write(batch, delta_of([(f"i{n % 5}", 100 * batch + n) for n in range(100)]))
        read_until_idle(uri, inlet, tmp_path / "offsets")
        assert sorted(inlet.rows["price"].to_pylist()) == list(range(100 * (batch + 1)))
    for item in {f"i{n}" for n in range(5)}:
        rows = inlet.rows.filter(pa.compute.field("item") == item)
        assert rows["price"].to_pylist() == sorted(rows["price"].to_pylist())


def read_until_idle(uri: str, inlet: Inlet, checkpoint: Path) -> None:
    """Run a source as a pipeline would until it says that there is nothing more."""
    stopping = threading.Event()
    source = KafkaSource(uri, STREAM, checkpoint=checkpoint)
    source.open()
    position = getattr(inlet, "position", None)
    running = threading.Thread(target=source.run, args=(inlet, position, stopping))
    running.start()
    try:
        until(lambda: source.idle() or not running.is_alive())
    finally:
        stopping.set()
        running.join(60)
        source.close()
    assert not running.is_alive()


class DyingInlet:
    """Logs what it is given, and dies before Spark hears of it."""

    def __init__(self, inlet: Any) -> None:
        self.stream = inlet.stream
        self._inlet = inlet

    def accept(self, rows: pa.Table, **rest: Any) -> None:
        self._inlet.accept(rows, **rest)
        raise SourceError("died after the log was written")

    def finish(self) -> None:
        self._inlet.finish()


@pytest.mark.usefixtures("spark")
def test_a_batch_that_spark_gives_again_is_in_the_log_once(
    broker: Broker, recorder: Callable[..., Any], tmp_path: Path
) -> None:
    uri = broker.uri(broker.new_topic())
    sink = opened(uri)
    sink.write(0, delta_of([("a", 1), ("b", 2)]))
    inlet = recorder(STREAM)
    first = KafkaSource(uri, STREAM, checkpoint=tmp_path / "offsets")
    first.open()
    with pytest.raises(SourceError, match="died after the log was written"):
        first.run(DyingInlet(inlet), None, threading.Event())
    first.close()
    assert inlet.rows["price"].to_pylist() == [1, 2]
    sink.write(1, delta_of([("c", 3)]))
    read_until_idle(uri, inlet, tmp_path / "offsets")
    assert inlet.rows["price"].to_pylist() == [1, 2, 3]


@pytest.mark.usefixtures("spark")
def test_a_topic_that_is_not_there_is_named(broker: Broker, recorder: Callable[..., Any]) -> None:
    source = KafkaSource(broker.uri("nothing"), STREAM)
    source.open()
    with pytest.raises(SourceError, match="Kafka has no topic 'nothing'"):
        source.run(recorder(STREAM), None, threading.Event())
    source.close()
    with pytest.raises(SinkError, match=r"(?s)writing to topic 'nothing' failed: .*is the topic there"):
        opened(broker.uri("nothing")).write(0, delta_of([("a", 1)]))


@pytest.mark.usefixtures("spark")
def test_a_broker_that_does_not_answer_is_named(connector: str) -> None:
    (port,) = free_ports(1)
    uri = f"kafka://127.0.0.1:{port}/bids?jars={connector}"
    with pytest.raises(SourceError, match=rf"no Kafka broker answers at 127\.0\.0\.1:{port}: .*refused"):
        KafkaSource(uri, STREAM).open()
    with pytest.raises(SinkError, match="no Kafka broker answers"):
        opened(uri)


SESSION = """
import os, sys
from pyspark.sql import SparkSession
from windrow.errors import SinkError
from windrow.schema import Schema
from windrow.sinks.registry import open_sink
from windrow.sources.kafka_connector import connector_conf

uri, warehouse, with_connector = sys.argv[1:]
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
builder = builder.config("spark.sql.warehouse.dir", warehouse)
for key, value in connector_conf(uri).items() if with_connector == "True" else ():
    builder = builder.config(key, value)
session = builder.getOrCreate()
try:
    open_sink(uri, {}).open(Schema.of(("x", "INTEGER")))
except SinkError as error:
    print("TOLD", error)
session.stop()
"""


def told_by_session(uri: str, folder: Path, *, with_connector: bool, **environment: str) -> str:
    """What opening a sink says in a fresh session."""
    command = [sys.executable, "-c", SESSION, uri, str(folder), str(with_connector)]
    environment = {**os.environ, **environment}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, env=environment)
    return ran.stdout.partition("TOLD ")[2]


def test_a_session_may_start_with_the_connector(connector: str, tmp_path: Path) -> None:
    (port,) = free_ports(1)
    uri = f"kafka://127.0.0.1:{port}/bids?jars={connector}"
    assert told_by_session(uri, tmp_path, with_connector=True).startswith("no Kafka broker answers")


def test_without_the_jars_the_way_to_get_them_is_told(tmp_path: Path) -> None:
    """The machine's Ivy settings name no place that has them."""
    settings = tmp_path / "ivysettings.xml"
    settings.write_text(
        f'<ivysettings><settings defaultResolver="nowhere"/><caches defaultCacheDir="{tmp_path}/cache"/>'
        f'<resolvers><filesystem name="nowhere"><artifact pattern="{tmp_path}/[artifact].jar"/>'
        "</filesystem></resolvers></ivysettings>"
    )
    uri, place = "kafka://127.0.0.1:1/bids", {IVY_SETTINGS: str(settings)}
    told = told_by_session(uri, tmp_path, with_connector=False, **place)
    assert told.startswith("Spark's Kafka connector cannot be fetched: [unresolved dependency")
    assert KAFKA_PACKAGE in told
    assert "jars=FOLDER" in told


@pytest.mark.usefixtures("spark")
def test_a_pipeline_reads_what_another_writes_and_goes_on_after_a_restart(
    broker: Broker, tmp_path: Path
) -> None:
    topic = broker.new_topic()
    out = tmp_path / "out"
    for turn in range(2):
        with windrow.connect(checkpoint=tmp_path / "checkpoint") as db:
            db.execute("CREATE STREAM Bid (item VARCHAR, price INTEGER)")
            db.execute(f"INSERT INTO '{broker.uri(topic)}' SELECT item, price * 2 AS price FROM Bid")
            db.execute(f"CREATE STREAM Doubled (item VARCHAR, price INTEGER) SOURCE '{broker.uri(topic)}'")
            db.execute(f"INSERT INTO 'file://{out}?format=parquet' SELECT * FROM Doubled")
            db.push("Bid", [(f"item{turn}", number) for number in range(100)])
            deadline = time.monotonic() + 120
            while taken(db, "Doubled") < 100 * (turn + 1):
                assert time.monotonic() < deadline
                db.run(seconds=0.5)
            db.run_until_idle()
    written = pq.read_table(out).to_pylist()
    expected = [(f"item{turn}", 2 * number) for turn in range(2) for number in range(100)]
    assert sorted((row["item"], row["price"]) for row in written) == sorted(expected)


def taken(db: windrow.Database, stream: str) -> int:
    return next(metrics.accepted for metrics in db.metrics().streams if metrics.name == stream)
