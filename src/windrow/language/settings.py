"""What SET and connect() can set: a registry of names, types, defaults and checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from windrow.catalog import AGGREGATE_ROWS, AGGREGATE_TIME
from windrow.durations import DurationError, format_duration, parse_duration
from windrow.errors import SettingError
from windrow.language.names import suggest
from windrow.plan.expiration import Expiration

Value = int | str


@dataclass(frozen=True)
class Setting:
    """A setting: how its value is read and shown, and one line on what it does."""

    name: str
    kind: str
    default: Value
    doc: str
    read: Callable[[str], Value]
    show: Callable[[Value], str] = str

    def value_of(self, given: object) -> Value:
        """The value that a text or a number stands for; raises SettingError."""
        text = str(given).strip()
        try:
            return self.read(text)
        except DurationError as error:
            raise SettingError(f"{self.name}: {error}", hint=error.hint) from None
        except ValueError as error:
            raise SettingError(f"{self.name}: {error}", hint=f"{self.name} takes {self.kind}") from None


_BYTES = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) < 1 or int(text) >= 2**63:
        raise ValueError(f"'{text}' is not a whole number from 1")
    return int(text)


def _whole(text: str) -> Value:
    return 0 if text == "0" else _count(text)


def _bytes(text: str) -> int:
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    unit = text[len(digits) :].strip().lower()
    if unit not in _BYTES:
        raise ValueError(f"'{text}' is not a number of bytes")
    return _count(digits) * _BYTES[unit]


def _duration(text: str) -> int:
    length = parse_duration(text)
    if length <= 0:
        raise ValueError("a length of time must be more than nothing")
    return length


def _show_bytes(value: Value) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if int(value) % size == 0:
            return f"{int(value) // size} {unit}"
    return f"{value} bytes"


def _choice(*choices: str) -> Callable[[str], Value]:
    def read(text: str) -> Value:
        if text.lower() not in choices:
            raise ValueError(f"'{text}' is not one of {', '.join(choices)}")
        return text.lower()

    return read


SETTINGS: dict[str, Setting] = {
    setting.name: setting
    for setting in (
        Setting(
            "aggregate_rows",
            "a whole number from 1",
            AGGREGATE_ROWS,
            "rows at which an aggregate of your own is stopped",
            _count,
        ),
        Setting(
            "aggregate_time",
            "a length of time, as in 1 minute",
            AGGREGATE_TIME,
            "time after which a method of an aggregate in Python is cut off",
            _duration,
            lambda value: format_duration(int(value)),
        ),
        Setting(
            "allow_unbounded",
            "true or false",
            "false",
            "whether a query may remember a stream for ever",
            _choice("true", "false"),
        ),
        Setting(
            "backlog",
            "a size, as in 1 GiB",
            2**30,
            "unprocessed bytes after which sources wait",
            _bytes,
            _show_bytes,
        ),
        Setting(
            "batch_rows", "a whole number from 1", 4_000_000, "most tuples of a stream in one batch", _count
        ),
        Setting("buckets", "a whole number", 0, "shares of what queries remember; 0: as they are", _whole),
        Setting(
            "changelog",
            "op, diff or _change_type",
            "op",
            "how changes are told: +I -D, ±1, or Spark's names",
            _choice("op", "diff", "_change_type"),
        ),
        Setting(
            "execution",
            "batch or queued",
            "batch",
            "whether a query's steps run batch by batch, or from queues on a virtual clock",
            _choice("batch", "queued"),
        ),
        Setting(
            "expiration",
            ", ".join(each.value for each in Expiration),
            Expiration.UPA.value,
            "how a query's steps learn that tuples have ended",
            _choice(*(each.value for each in Expiration)),
        ),
        Setting(
            "idle_timeout",
            "a length of time, as in 30 seconds",
            30_000_000,
            "silence after which a stream no longer holds others up",
            _duration,
            lambda value: format_duration(int(value)),
        ),
        Setting(
            "queue_cost",
            "a length of time, as in 1 millisecond",
            100,
            "what a queued step takes for a tuple, on the virtual clock",
            _duration,
            lambda value: format_duration(int(value)),
        ),
        Setting(
            "queue_slice",
            "a length of time, as in 10 milliseconds",
            10_000,
            "how long a queued step works until it is the next one's turn",
            _duration,
            lambda value: format_duration(int(value)),
        ),
        Setting("memory_rows", "a whole number from 1", 10_000_000, "rows that memory: keeps", _count),
        Setting("driver_rows", "a whole number", 10_000, "batches up to this run in the driver", _whole),
        Setting(
            "max_line",
            "a size, as in 1 MiB",
            2**20,
            "longest line of text that a source takes",
            _bytes,
            _show_bytes,
        ),
    )
}
"""All settings by name."""


def find_setting(name: str) -> Setting:
    """The setting of a name, whatever its case; raises SettingError."""
    setting = SETTINGS.get(name.lower())
    if setting is None:
        raise SettingError(f"there is no setting '{name}'", hint=suggest(name, SETTINGS, "settings are"))
    return setting


class Settings:
    """The values in force."""

    def __init__(self, **given: object) -> None:
        self._values: dict[str, Value] = {name: setting.default for name, setting in SETTINGS.items()}
        for name, value in given.items():
            self.set(name, value)

    def set(self, name: str, value: object) -> None:
        """Change one; raises SettingError and changes nothing if the value cannot be."""
        setting = find_setting(name)
        self._values[setting.name] = setting.value_of(value)

    def number(self, name: str) -> int:
        """The value of a count, a size in bytes, or a time in microseconds."""
        return int(self._values[find_setting(name).name])

    def text(self, name: str) -> str:
        """The value of a choice."""
        return str(self._values[find_setting(name).name])

    def is_true(self, name: str) -> bool:
        """Whether a choice of true or false is true."""
        return self.text(name) == "true"

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        """Name, value as people write it, and what it does, by name."""
        for name, setting in SETTINGS.items():
            yield name, setting.show(self._values[name]), setting.doc
