"""The Kafka source without a broker: its URI, its messages, and what it does with batches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark import SparkContext

from windrow.catalog import Stream
from windrow.errors import Error, SourceError
from windrow.schema import Schema
from windrow.sources.formats.choose import text_decoder
from windrow.sources.kafka import Handover, KafkaSource, Messages
from windrow.sources.kafka_connector import IVY_SETTINGS, KAFKA_PACKAGE, connector_conf
from windrow.uri import Uri

STREAM = Stream("Bids", Schema.of(("item", "VARCHAR"), ("price", "INTEGER")))
URI = "kafka://127.0.0.1:9092/bids"


def messages_of(*messages: tuple[int, int, bytes | None]) -> pa.Table:
    partitions, offsets, values = zip(*messages, strict=True) if messages else ((), (), ())
    types = [pa.int32(), pa.int64(), pa.binary()]
    columns = map(pa.array, (partitions, offsets, values), types)
    return pa.table(list(columns), names=["partition", "offset", "value"])


def decoder(format_: str = "json") -> Messages:
    inner = text_decoder(Uri.parse(f"{URI}?format={format_}"), STREAM, format_)
    return Messages(inner, STREAM, one_line=format_ == "json")


def test_messages_come_by_partition_and_offset() -> None:
    rows, rejected = decoder().decode(
        messages_of(
            (1, 7, b'{"item": "d", "price": 4}'),
            (0, 9, b'{"item": "b", "price": 2}'),
            (1, 6, b'{"item": "c", "price": 3}'),
            (0, 8, b'{"item": "a", "price": 1}'),
        )
    )
    assert rows.to_pydict() == {"item": ["a", "b", "c", "d"], "price": [1, 2, 3, 4]}
    assert rejected == []


def test_a_json_message_may_span_lines() -> None:
    rows, rejected = decoder().decode(messages_of((0, 0, b'{\n  "item": "a",\r\n  "price": 1\n}\n')))
    assert rows.to_pylist() == [{"item": "a", "price": 1}]
    assert rejected == []


def test_a_csv_message_may_hold_several_rows() -> None:
    rows, rejected = decoder("csv").decode(
        messages_of((0, 0, b"a,1\nb,2\n"), (0, 1, b"c,3"), (0, 2, b"item,price"))
    )
    assert rows.to_pydict() == {"item": ["a", "b", "c"], "price": [1, 2, 3]}
    assert [line for line, _ in rejected] == ["item,price"]


def test_what_is_no_tuple_is_rejected_with_its_reason() -> None:
    rows, rejected = decoder().decode(
        messages_of((0, 3, None), (0, 4, b"[1]"), (0, 5, b'{"item": "a"}'), (0, 6, b"\xff"))
    )
    assert rows.to_pylist() == [{"item": "a", "price": None}]
    assert ("partition 0, offset 3", "the message has no value") in rejected
    assert len(rejected) == 3


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-(2**31), 2**31 - 1)), max_size=40))
def test_every_message_is_one_row(given_rows: list[tuple[int, int]]) -> None:
    messages = [
        (partition, offset, f'{{"item": "{offset}", "price": {price}}}'.encode())
        for offset, (partition, price) in enumerate(given_rows)
    ]
    rows, rejected = decoder().decode(messages_of(*messages))
    expected = sorted((partition, offset, price) for offset, (partition, price) in enumerate(given_rows))
    assert rows["price"].to_pylist() == [price for *_, price in expected]
    assert rejected == []


def test_a_batch_that_was_logged_is_passed_over(recorder: Callable[..., Any]) -> None:
    inlet = recorder(STREAM)
    handover = Handover(inlet, decoder(), {"batch": 4, "folder": "f"}, "f", Event())
    for batch in (3, 4, 5, 5, 6):
        handover.take(batch, messages_of((0, batch, f'{{"item": "a", "price": {batch}}}'.encode())))
    assert inlet.rows["price"].to_pylist() == [5, 6]
    assert inlet.position == {"batch": 6, "folder": "f"}


def test_a_batch_that_comes_while_stopping_is_left_for_the_next_start(recorder: Callable[..., Any]) -> None:
    inlet, stopping = recorder(STREAM), Event()
    handover = Handover(inlet, decoder(), None, "f", stopping)
    handover.finish()
    with pytest.raises(SourceError, match="is read again when it goes on"):
        handover.take(0, messages_of((0, 0, b"{}")))
    assert inlet.rows.num_rows == 0


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("kafka://127.0.0.1:9092", "not brokers and a topic"),
        ("kafka://127.0.0.1/bids", "not brokers and a topic"),
        ("kafka://127.0.0.1:9092/bids/more", "not brokers and a topic"),
        (f"{URI}?starting=now", "starting cannot be 'now'"),
        (f"{URI}?format=avro", "no format 'avro'"),
        (f"{URI}?start=latest", "no option 'start'"),
    ],
)
def test_a_uri_that_means_nothing_is_refused(uri: str, message: str) -> None:
    with pytest.raises(Error, match=message):
        KafkaSource(uri, STREAM)


def test_options_of_the_kafka_client_are_taken() -> None:
    KafkaSource("kafka://a:1,[::1]:2/bids?kafka.security.protocol=SSL&delimiter=tab&format=csv", STREAM)


def test_without_spark_the_runner_to_use_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    with pytest.raises(SourceError, match=r"(?s)Kafka needs the Spark runner.*--runner spark"):
        KafkaSource(URI, STREAM).open()


def test_a_checkpoint_that_lost_the_offsets_is_refused(
    recorder: Callable[..., Any], tmp_path: Path
) -> None:
    source = KafkaSource(URI, STREAM, checkpoint=tmp_path)
    with pytest.raises(SourceError, match="what stream Bids has read from Kafka is gone"):
        source.run(recorder(STREAM), {"batch": 3, "folder": "abc"}, Event())


def test_the_connector_comes_by_its_coordinates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv(IVY_SETTINGS, raising=False)
    assert connector_conf(URI) == {"spark.jars.packages": KAFKA_PACKAGE}
    assert connector_conf("tcp://127.0.0.1:1") == {}
    settings = tmp_path / ".ivy2" / "ivysettings.xml"
    settings.parent.mkdir()
    settings.write_text("<ivysettings/>")
    assert connector_conf(URI)["spark.jars.ivySettings"] == str(settings)
    monkeypatch.setenv(IVY_SETTINGS, "/elsewhere.xml")
    assert connector_conf(URI)["spark.jars.ivySettings"] == "/elsewhere.xml"


def test_the_connector_comes_from_a_folder(tmp_path: Path) -> None:
    with pytest.raises(Error, match=r"(?s)there is no Kafka connector for Spark in .*copy-dependencies"):
        connector_conf(f"{URI}?jars={tmp_path}")
    jars = [tmp_path / "kafka-clients.jar", tmp_path / "spark-sql-kafka-0-10_2.13-4.3.0.jar"]
    for jar in jars:
        jar.touch()
    assert connector_conf(f"{URI}?jars={tmp_path}") == {"spark.jars": f"{jars[0]},{jars[1]}"}
