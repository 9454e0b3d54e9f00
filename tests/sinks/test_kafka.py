"""The Kafka sink without a broker; tests/sources/test_kafka_broker.py has one."""

from __future__ import annotations

import pytest
from pyspark import SparkContext

from windrow.errors import SinkError
from windrow.schema import Schema
from windrow.sinks.kafka import KafkaSink
from windrow.sinks.registry import open_sink

SCHEMA = Schema.of(("Item", "VARCHAR"), ("price", "INTEGER"))


def test_a_uri_gives_the_sink() -> None:
    assert type(open_sink("kafka://a:9092,b:9092/bids?key=item&kafka.acks=all", {})) is KafkaSink


@pytest.mark.parametrize(
    ("uri", "message", "hint"),
    [
        ("kafka://a:9092", "not brokers and a topic", "kafka://host:port"),
        ("kafka://a:9092/bids?kee=item", "no option 'kee'", "did you mean key?"),
        ("kafka://a:9092/bids?format=csv", "format cannot be 'csv'", "choices are: json"),
    ],
)
def test_a_uri_that_means_nothing_is_refused(uri: str, message: str, hint: str) -> None:
    with pytest.raises(SinkError, match=message) as refused:
        open_sink(uri, {})
    assert hint in (refused.value.hint or "")


def test_a_key_that_is_no_column_is_refused_with_the_columns() -> None:
    with pytest.raises(SinkError, match="columns are: Item, price"):
        open_sink("kafka://a:9092/bids?key=bidder", {}).open(SCHEMA)


def test_without_spark_the_runner_to_use_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    with pytest.raises(SinkError, match="Kafka needs the Spark runner"):
        open_sink("kafka://a:9092/bids?key=item", {}).open(SCHEMA)
