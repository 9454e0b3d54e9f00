"""What is written on the command line, as values."""

from __future__ import annotations

from pathlib import Path

import pytest

from windrow.cli.arguments import assignments, script_text, seconds
from windrow.errors import Error, SettingError


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("30", 30.0),
        ("30s", 30.0),
        ("2.5", 2.5),
        ("500ms", 0.5),
        ("5m", 300.0),
        ("1h30m", 5400.0),
        ("2 min", 120.0),
    ],
)
def test_a_duration_is_read(text: str, length: float) -> None:
    assert seconds(text) == length


@pytest.mark.parametrize("text", ["", "x", "3x", "0", "0s", "-5s", "s", "1..2s", "3 months"])
def test_what_is_no_duration_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(Error) as refused:
        seconds(text)
    assert refused.value.hint


def test_settings_are_read() -> None:
    assert assignments(["batch_rows=1000", " Changelog = diff "]) == {
        "batch_rows": "1000",
        "changelog": "diff",
    }


@pytest.mark.parametrize("pair", ["x", "=1", " = 1", "runner=inline", "bach_rows=1"])
def test_a_setting_without_name_or_value_or_meaning_is_refused(pair: str) -> None:
    with pytest.raises(SettingError) as refused:
        assignments([pair])
    assert refused.value.hint


def test_a_missing_script_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    (tmp_path / "auctions.esl").write_text("")
    with pytest.raises(Error, match=r"no file .*auction\.esl") as missing:
        script_text(str(tmp_path / "auction.esl"))
    assert "auctions.esl" in (missing.value.hint or "")


def test_a_folder_is_no_script(tmp_path: Path) -> None:
    with pytest.raises(Error, match="cannot be read: Is a directory"):
        script_text(str(tmp_path))


def test_a_script_is_utf_8(tmp_path: Path) -> None:
    (tmp_path / "latin.esl").write_bytes(b"-- caf\xe9")
    with pytest.raises(Error, match="not UTF-8"):
        script_text(str(tmp_path / "latin.esl"))
