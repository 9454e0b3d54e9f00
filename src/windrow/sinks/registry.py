"""The sinks that there are, by scheme. A new one is a module and a line in SCHEMES."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from windrow.errors import SettingError, SinkError
from windrow.schema import Schema
from windrow.sinks import encoding, tcp
from windrow.sinks.base import Sink
from windrow.sinks.blackhole import BlackholeSink
from windrow.sinks.callback import Callback, CallbackSink
from windrow.sinks.changelog import Changelog
from windrow.sinks.console import ROWS, ConsoleSink
from windrow.sinks.files import EXTENSIONS, DirectorySink
from windrow.sinks.kafka import KafkaSink
from windrow.sinks.memory import MEMORY_ROWS, MemorySink
from windrow.sinks.options import check_options, choice, count, flag, suggestion
from windrow.sources.kafka_connector import Topic
from windrow.uri import Uri


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a sink is told beside its URI."""

    changelog: Changelog
    memory_rows: int
    owner: str | None


def open_sink(
    target: str | Callback,
    settings: Mapping[str, object],
    *,
    append_only: bool | None = None,
    key: Schema | None = None,
    owner: str | None = None,
) -> Sink:
    """The sink of a URI, or of a Python function: checked and built, its `open` not yet called.

    Of the settings it reads `changelog` and `memory_rows`. `append_only` says whether the query
    only ever adds; None: go by each delta. `key` has the columns that tell the rows of the answer apart,
    where there are such columns. `owner` names the checkpoint and query that batch
    numbers belong to.
    """
    memory_rows = settings.get("memory_rows", MEMORY_ROWS)
    if not isinstance(memory_rows, int) or memory_rows < 1:
        raise SettingError(
            f"memory_rows cannot be {memory_rows!r}", hint="give a number of rows, at least 1"
        )
    changelog = Changelog(str(settings.get("changelog", "op")), append_only, key)
    if callable(target):
        return CallbackSink(target, changelog)
    return _from_uri(Uri.parse(target), Delivery(changelog, memory_rows, owner))


def _from_uri(uri: Uri, delivery: Delivery) -> Sink:
    build = SCHEMES.get(uri.scheme)
    if build is None:
        raise SinkError(
            f"{uri.text}: there is no sink '{uri.scheme}:'", hint=suggestion(uri.scheme, SCHEMES)
        )
    return build(uri, delivery)


def _console(uri: Uri, delivery: Delivery) -> Sink:
    check_options(uri, "rows")
    rows = count(uri, "rows", ROWS) if "rows" in uri.options else None
    return ConsoleSink(rows, delivery.changelog)


def _memory(uri: Uri, delivery: Delivery) -> Sink:
    check_options(uri)
    return MemorySink(delivery.changelog, delivery.memory_rows)


def _file(uri: Uri, delivery: Delivery) -> Sink:
    check_options(uri, "format")
    if not uri.rest.strip("/"):
        raise SinkError(
            f"{uri.text}: which directory?", hint="write file:///path/to/directory?format=parquet"
        )
    form = choice(uri, "format", EXTENSIONS, "parquet")
    path = Path(unquote(uri.rest)).absolute()
    return DirectorySink(path, form, delivery.changelog, delivery.owner)


def _tcp(uri: Uri, delivery: Delivery) -> Sink:
    check_options(uri, "format", "header", "patience")
    host, _, port = uri.rest.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise SinkError(f"{uri.text}: not a host and a port", hint="write tcp://host:port?format=csv")
    return tcp.TcpSink(
        tcp.Address(host.strip("[]"), int(port)),
        choice(uri, "format", encoding.TEXTS, "csv"),
        header=flag(uri, "header", False),
        patience=count(uri, "patience", tcp.PATIENCE),
        changelog=delivery.changelog,
    )


def _kafka(uri: Uri, delivery: Delivery) -> Sink:
    topic = Topic.of(uri, SinkError)
    check_options(uri, "format", "key", "jars", *topic.client)
    choice(uri, "format", ("json",), "json")
    return KafkaSink(topic, uri.options.get("key"), delivery.changelog)


def _blackhole(uri: Uri, _delivery: Delivery) -> Sink:
    check_options(uri)
    return BlackholeSink()


SCHEMES: dict[str, Callable[[Uri, Delivery], Sink]] = {
    "blackhole": _blackhole,
    "console": _console,
    "memory": _memory,
    "file": _file,
    "tcp": _tcp,
    "kafka": _kafka,
}
