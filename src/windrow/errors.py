"""Every error that windrow raises on purpose.

Error
├── StatementError        wrong SQL; carries line, column and a caret
│   ├── ParseError        the text is not a statement of the language
│   ├── UnknownName        a name is unknown, or means two things
│   ├── TypeMismatch        an expression has no type
│   ├── Refused           well-formed, but it cannot mean or do anything useful
│   └── AssertionFailed   what an ASSERT says is not so
├── KeyConflict           a row of a table cannot have the key that it has
├── SettingError          SET or connect() with an unknown or unusable value
├── SourceError           a source cannot be opened or read
├── SinkError             a sink cannot be opened or written
├── CheckpointError       a checkpoint is locked, damaged or of another program
│   └── StateLost         what a query remembers cannot be read
└── RunnerError           the runner (Java, Spark, a worker) failed
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windrow.comparison import Difference


@dataclass(frozen=True, slots=True)
class Span:
    """Where in a text something stands; lines and columns count from 1."""

    line: int
    column: int
    length: int
    text: str
    """The whole line of text that the span is on."""

    def drawn(self) -> str:
        caret = "^" * max(1, min(self.length, len(self.text) - self.column + 1))
        return f"  {self.text}\n  {' ' * (self.column - 1)}{caret}"

    def within(self, part: Span) -> Span:
        """A span that was counted inside a part of a text, counted in the whole text."""
        if self.line == 1:
            return Span(part.line, part.column + self.column - 1, self.length, part.text)
        return Span(part.line + self.line - 1, self.column, self.length, self.text)


class Error(Exception):
    """The base of all windrow errors: a sentence, and a hint where there is one."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class StatementError(Error):
    """An error in a statement, drawn with the line of text and a caret under the culprit."""

    def __init__(self, message: str, span: Span, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.span = span

    @property
    def line(self) -> int:
        return self.span.line

    @property
    def column(self) -> int:
        return self.span.column

    def __str__(self) -> str:
        where = f"line {self.line}, column {self.column}: {self.message}\n{self.span.drawn()}"
        return where if self.hint is None else f"{where}\nhint: {self.hint}"


class ParseError(StatementError):
    """The text is not a statement of the language."""


class UnknownName(StatementError):
    """A name is unknown or means two things."""


class TypeMismatch(StatementError):
    """An expression has no type."""


class Refused(StatementError):
    """A well-formed statement that the catalog, or its own meaning, does not allow."""


class AssertionFailed(StatementError):
    """What an ASSERT says is not so; `difference` has the rows where it is about rows."""

    def __init__(
        self, message: str, span: Span, *, hint: str | None = None, difference: Difference | None = None
    ) -> None:
        super().__init__(message, span, hint=hint)
        self.difference = difference


class KeyConflict(Error):
    """A row's key is NULL, is there already, or was used by an NRR before."""

    def __init__(self, message: str, *, row: int, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.row = row
        """Which of the rows that come, counted from 0."""


class SettingError(Error):
    """An unknown setting, or a value that it cannot take."""


class SourceError(Error):
    """A source cannot be opened or read."""


class SinkError(Error):
    """A sink cannot be opened or written."""


class CheckpointError(Error):
    """A checkpoint is locked, damaged, or belongs to another program."""


class StateLost(CheckpointError):
    """What a query remembers is missing or damaged; the query by the key of its state."""

    def __init__(self, message: str, query: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.query = query


class RunnerError(Error):
    """The runner failed: Java, Spark or a worker."""
