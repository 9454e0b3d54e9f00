"""Aggregates written in ESL, to use and to learn from: each file holds some of a kind."""

from __future__ import annotations

from importlib.resources import files


def names() -> tuple[str, ...]:
    """The files, by name."""
    found = (each.name for each in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".esl") for name in found if name.endswith(".esl")))


def text(name: str) -> str:
    """The statements of a file: what `execute` takes.

    >>> from windrow import library
    >>> "decaying_mean" in library.text("averages")
    True
    """
    return files(__name__).joinpath(f"{name}.esl").read_text(encoding="utf-8")
