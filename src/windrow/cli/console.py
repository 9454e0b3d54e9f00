"""The two consoles: answers go to standard output, everything about them to standard error."""

from __future__ import annotations

import functools
import sys

from rich.console import Console


class _Output(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


@functools.cache
def out() -> Console:
    return _Output(highlight=False)


@functools.cache
def err() -> Console:
    return _Output(stderr=True, highlight=False)


def interactive() -> bool:
    """Whether someone sits at both ends: keys come in and text goes out on a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def status() -> Console:
    """Where progress is shown: with the answers if they go to a terminal, else beside them."""
    return out() if out().is_terminal else err()
