"""What is written on the command line, as values: durations, settings, scripts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from windrow.durations import DurationError, parse_duration
from windrow.errors import Error, SettingError
from windrow.language.settings import find_setting


def seconds(text: str) -> float:
    """A duration in seconds: 30, 30s, 500ms, 5m, 1h30m."""
    bare = text.replace(".", "", 1).isdigit()
    try:
        length = parse_duration(f"{text} s" if bare else text) / 1e6
    except DurationError as error:
        raise Error(str(error), hint=error.hint) from None
    if not length:
        raise Error("--for needs some time", hint="write for example --for 30s")
    return length


def assignments(pairs: Sequence[str]) -> dict[str, str]:
    """The settings of `--set name=value …`."""
    settings: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise SettingError(f"--set {pair}: no value is given", hint="write --set name=value")
        settings[find_setting(name.strip()).name] = value.strip()
    return settings


def script_text(path: str) -> str:
    """The statements of a script; `-` is standard input."""
    if path == "-":
        return sys.stdin.read()
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise Error(f"{path} is not UTF-8 text") from None
    except FileNotFoundError:
        raise Error(f"there is no file {path}", hint=_similar(path)) from None
    except OSError as error:
        raise Error(f"{path} cannot be read: {error.strerror}") from None


def _similar(path: str) -> str | None:
    folder = Path(path).parent
    scripts = sorted(file.name for file in folder.glob("*.esl")) if folder.is_dir() else []
    return f"scripts in {folder}: {', '.join(scripts[:8])}" if scripts else None
