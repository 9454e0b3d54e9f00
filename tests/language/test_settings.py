"""Settings: known by name, checked when set."""

from __future__ import annotations

import pytest

from windrow.errors import SettingError
from windrow.language.settings import SETTINGS, Settings


def test_defaults() -> None:
    settings = Settings()
    assert settings.number("idle_timeout") == 30_000_000
    assert settings.number("max_line") == 2**20
    assert settings.number("backlog") == 2**30


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("batch_rows", "5", 5),
        ("BATCH_ROWS", 5, 5),
        ("idle_timeout", "2 min", 120_000_000),
        ("max_line", "64 KiB", 65_536),
        ("max_line", "1MB", 1_000_000),
        ("backlog", 4096, 4096),
    ],
)
def test_numbers(name: str, given: object, value: int) -> None:
    settings = Settings()
    settings.set(name, given)
    assert settings.number(name) == value


def test_choices() -> None:
    assert Settings(changelog="DIFF").text("changelog") == "diff"


@pytest.mark.parametrize(
    ("name", "given", "message", "hint"),
    [
        ("batch_row", 5, "there is no setting 'batch_row'", "did you mean batch_rows?"),
        (
            "batch_rows",
            0,
            "batch_rows: '0' is not a whole number from 1",
            "batch_rows takes a whole number from 1",
        ),
        (
            "batch_rows",
            "x",
            "batch_rows: 'x' is not a whole number from 1",
            "batch_rows takes a whole number from 1",
        ),
        (
            "idle_timeout",
            "5 secnds",
            "idle_timeout: 'secnds' is not a unit of time",
            "did you mean SECONDS?",
        ),
        (
            "idle_timeout",
            "0 s",
            "idle_timeout: a length of time must be more than nothing",
            "idle_timeout takes a length of time, as in 30 seconds",
        ),
        (
            "max_line",
            "1 furlong",
            "max_line: '1 furlong' is not a number of bytes",
            "max_line takes a size, as in 1 MiB",
        ),
    ],
)
def test_refusals(name: str, given: object, message: str, hint: str) -> None:
    settings = Settings()
    with pytest.raises(SettingError) as caught:
        settings.set(name, given)
    assert (caught.value.message, caught.value.hint) == (message, hint)
    assert list(settings) == list(Settings())


def test_what_is_shown_can_be_set_again() -> None:
    shown = list(Settings(max_line="64 KiB", idle_timeout="90 s"))
    assert [name for name, _, _ in shown] == list(SETTINGS)
    assert list(Settings(**{name: value for name, value, _ in shown})) == shown
    assert {name: value for name, value, _ in shown}["max_line"] == "64 KiB"
