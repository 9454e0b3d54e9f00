from __future__ import annotations

from pathlib import Path

import pytest

from windrow.catalog import Stream
from windrow.errors import SourceError
from windrow.schema import Schema
from windrow.sources.base import Source
from windrow.sources.registry import SCHEMES, open_source

STREAM = Stream("s", Schema.of(("value", "BIGINT"), ("timestamp", "TIMESTAMP")))


@pytest.mark.parametrize(
    ("uri", "kind"),
    [
        ("port4445", "TcpSource"),
        ("tcp://localhost:0?format=json", "TcpSource"),
        ("file:///nowhere?format=csv", "FileSource"),
        ("rate://1000", "RateSource"),
    ],
)
def test_a_scheme_chooses_its_source_and_opens_nothing(uri: str, kind: str) -> None:
    source = open_source(uri, STREAM, {"max_line": 100, "backlog": 1})
    assert isinstance(source, Source)
    assert type(source).__name__ == kind


def test_a_pushed_stream_has_no_source() -> None:
    assert open_source("push", STREAM, {}) is None


def test_a_file_source_keeps_its_journal_where_it_is_told(tmp_path: Path) -> None:
    source = open_source(f"file://{tmp_path}?format=csv", STREAM, {}, journal=tmp_path / "_done")
    assert source is not None
    assert not (tmp_path / "_done").exists()


@pytest.mark.parametrize(
    ("uri", "hint"),
    [("kafak://b/t", "did you mean kafka? "), ("tpc://:1", "did you mean tcp? "), ("quux:", "")],
)
def test_an_unknown_scheme_is_an_error_that_names_those_there_are(uri: str, hint: str) -> None:
    with pytest.raises(SourceError, match="no source is called") as raised:
        open_source(uri, STREAM, {})
    assert raised.value.hint == f"{hint}sources are: {', '.join(SCHEMES)}, portNNNN"


def test_what_is_no_uri_is_an_error() -> None:
    with pytest.raises(SourceError, match="is not a URI"):
        open_source("tcp://[::1", STREAM, {})
