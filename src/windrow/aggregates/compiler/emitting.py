"""Text of generated code, written line by line, and the values that lines compute."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from windrow.aggregates.compiler.kinds import Kind

NEVER, ALWAYS = "False", "True"
"""Whether a value is NULL, where that is known beforehand."""


@dataclass(frozen=True, slots=True)
class Value:
    """What a variable or a literal holds; a truth value that is NULL is False."""

    code: str
    null: str
    kind: Kind
    high: str = "0"
    """The upper half of a wide number."""


class Emitter:
    """Collects lines, and what the code needs besides."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.reasons: list[str] = []
        """Why an action may fail, by code; codes count from 1."""
        self.strings: list[str] = []
        """The strings that the code compares with, by place."""
        self.failures = 0
        """How many places there are at which an action may fail."""
        self._depth = 0
        self._names = 0

    def say(self, line: str) -> None:
        self.lines.append("    " * self._depth + line)

    def fresh(self, code: str) -> str:
        """A new variable that holds what some code comes to; a name or a literal stays as it is."""
        if code.isidentifier() or code.isdecimal():
            return code
        name = self.name()
        self.say(f"{name} = {code}")
        return name

    def name(self) -> str:
        self._names += 1
        return f"v{self._names}"

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Lines under an `if` or a loop."""
        self.say(f"{head}:")
        self._depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.say("pass")
        self._depth -= 1

    def fail_if(self, condition: str, reason: str) -> None:
        """Note that the action fails; it goes on computing, with whatever values."""
        if reason not in self.reasons:
            self.reasons.append(reason)
        self.failures += 1
        with self.block(f"if {condition}"):
            self.say(f"err = {self.reasons.index(reason) + 1}")

    def string(self, text: str) -> str:
        """The code of a string, which is known when the code runs."""
        if text not in self.strings:
            self.strings.append(text)
        return f"words[{self.strings.index(text)}]"


def either(*nulls: str) -> str:
    """Whether any of several values is NULL."""
    if ALWAYS in nulls:
        return ALWAYS
    return " or ".join(dict.fromkeys(each for each in nulls if each != NEVER)) or NEVER


def unless(null: str) -> str:
    """What is put behind a condition that holds for values that are there."""
    return "" if null == NEVER else f" and not ({null})"
