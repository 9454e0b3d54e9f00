"""From a URI to a sink, or to an error that says what there is."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from windrow.delta import Delta
from windrow.errors import Error, SettingError, SinkError
from windrow.schema import Schema
from windrow.sinks.base import FileSink, Sink
from windrow.sinks.callback import CallbackSink
from windrow.sinks.console import ConsoleSink
from windrow.sinks.files import DirectorySink
from windrow.sinks.memory import MemorySink
from windrow.sinks.registry import SCHEMES, open_sink
from windrow.sinks.tcp import TcpSink


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("console:", ConsoleSink),
        ("console", ConsoleSink),
        ("console:?rows=5", ConsoleSink),
        ("memory:", MemorySink),
        ("file:///some/where", DirectorySink),
        ("file://some/where?format=json", DirectorySink),
        ("tcp://localhost:4445?format=json&patience=3", TcpSink),
        ("tcp://[::1]:4445?header=true", TcpSink),
        ("port4445", TcpSink),
        (print, CallbackSink),
    ],
)
def test_a_target_gives_its_sink(target: str, kind: type[Sink]) -> None:
    assert type(open_sink(target, {})) is kind


@pytest.mark.parametrize(
    ("target", "message", "hint"),
    [
        ("consol:", "there is no sink 'consol:'", "did you mean console?"),
        ("ftp://x/y", "there is no sink 'ftp:'", f"choices are: {', '.join(SCHEMES)}"),
        ("console:?row=3", "no option 'row'", "did you mean rows?"),
        ("console:?rows=few", "rows cannot be 'few'", "whole number"),
        ("memory:?rows=3", "no option 'rows'", "choices are: none"),
        ("file:///x?format=parkett", "format cannot be 'parkett'", "did you mean parquet?"),
        ("file:///x?header=true", "no option 'header'", "choices are: format"),
        ("file:?format=csv", "which directory?", "file:///path/to/directory"),
        ("file:///", "which directory?", "file:///path/to/directory"),
        ("tcp://localhost", "not a host and a port", "tcp://host:port"),
        ("tcp://localhost:70000", "not a host and a port", "tcp://host:port"),
        ("tcp://localhost:1?format=parquet", "format cannot be 'parquet'", "choices are: csv, json"),
        ("tcp://localhost:1?header=yes", "header cannot be 'yes'", "choices are: true, false"),
    ],
)
def test_a_target_that_means_nothing_is_refused_with_the_choices(
    target: str, message: str, hint: str
) -> None:
    with pytest.raises(SinkError) as refused:
        open_sink(target, {})
    assert message in refused.value.message
    assert hint in (refused.value.hint or "")


@pytest.mark.parametrize("settings", [{"memory_rows": 0}, {"memory_rows": "many"}, {"changelog": "flink"}])
def test_a_setting_that_means_nothing_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(SettingError):
        open_sink("memory:", settings)


def test_the_settings_reach_the_sink() -> None:
    sink = open_sink("memory:", {"changelog": "diff", "memory_rows": 2, "another": True})
    assert isinstance(sink, MemorySink)
    sink.open(Schema.of(("x", "INTEGER")))
    sink.write(0, Delta(9, pa.table({"x": pa.array([1, 2, 3], pa.int32())}), np.arange(3)))
    with pytest.raises(Error, match="memory_rows = 2"):
        sink.changes()
    assert sink.changes()["change"].to_pylist() == [1, 1]


def test_building_a_sink_touches_nothing(tmp_path: Path) -> None:
    open_sink(f"file://{tmp_path}/out", {})
    assert list(tmp_path.iterdir()) == []


def test_a_path_may_be_percent_encoded(tmp_path: Path) -> None:
    sink = open_sink(f"file://{tmp_path}/a%20b?format=csv", {}, append_only=True, owner="me")
    assert isinstance(sink, FileSink)
    sink.open(Schema.of(("x", "INTEGER")))
    sink.write(0, Delta(9, pa.table({"x": [1]}), np.arange(1)))
    sink.close()
    assert (tmp_path / "a b" / "part-000000000-0000.csv").read_text() == '"x"\n1\n'


def test_every_scheme_has_a_builder_of_one_shape() -> None:
    for build in SCHEMES.values():
        assert len(inspect.signature(build).parameters) == 2
