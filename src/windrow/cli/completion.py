"""What the Tab key offers in the shell: commands, keywords, and the names that the catalog has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from windrow.catalog import Catalog, Stream

# fmt: off
KEYWORDS = (
    "ADVANCE", "AGGREGATE", "AGGREGATES", "ALGEBRAIC", "ALL", "AND", "ANSWER", "AS", "ASSERT", "BETWEEN",
    "BY", "CASE", "CAST", "CHANGES", "CLOCK", "CREATE", "DELETE", "DESCRIBE", "DISTINCT", "DROP", "ELSE",
    "EMPTY", "END", "ERROR", "EXPIRE", "EXPLAIN", "FALSE", "FOR", "FROM", "HEARTBEAT", "IN",
    "INITIALIZE", "INSERT", "INTO", "IS", "ITERATE", "KEY", "LIKE", "NOT", "NRR", "NULL", "OF", "OR",
    "ORDER", "PRIMARY", "QUERIES", "QUERY", "REPLACE", "RETAIN", "RETURN", "SELECT", "SET", "SETTINGS",
    "SHOW", "SLACK", "SNAPSHOT", "SOURCE", "STREAM", "STREAMS", "TABLE", "TABLES", "TERMINATE", "THEN",
    "TIMES", "TIMESTAMP", "TO", "TRUE", "UNION", "UPDATE", "VALUES", "WHEN", "WHERE", "WINDOW", "WITH",
)
# fmt: on
"""The words of the language."""

_BEFORE_NAME = {
    *("from", "join", "describe", "stream", "table", "nrr", "update", "into", "advance"),
    "\\d",
}
_WORD = "_.\\"


class NameCompleter(Completer):
    """Offers what can stand at the cursor, judged by the word before it."""

    def __init__(self, catalog: Catalog, settings: Sequence[str], commands: Sequence[str]) -> None:
        self._catalog = catalog
        self._settings = settings
        self._commands = commands

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        words = words_before(document.text_before_cursor)
        typed, previous = words[-1], (words[-2] if len(words) > 1 else "").lower()
        for name in self._candidates(typed, previous, first=len(words) == 1):
            if name.lower().startswith(typed.lower()):
                yield Completion(name, start_position=-len(typed))

    def _candidates(self, typed: str, previous: str, *, first: bool) -> Iterable[str]:
        if typed.startswith("\\"):
            return self._commands if first else ()
        if previous == "set":
            return self._settings
        if previous in _BEFORE_NAME:
            return self._names(typed)
        if not typed:
            return ()
        keywords = (word.lower() if typed.islower() else word for word in KEYWORDS)
        return chain(self._columns(), self._names(typed), keywords)

    def _names(self, typed: str) -> Iterator[str]:
        for readable in self._catalog.readable():
            yield readable.name
            if isinstance(readable, Stream) and "." in typed:
                yield from (readable.late.name, readable.rejected.name)

    def _columns(self) -> list[str]:
        names = (field.name for readable in self._catalog.readable() for field in readable.schema)
        return sorted(set(names))


def words_before(text: str) -> list[str]:
    """The words up to the cursor; the last is the one being typed, perhaps still empty."""
    words = [""]
    for character in text:
        if character.isalnum() or character in _WORD:
            words[-1] += character
        elif words[-1]:
            words.append("")
    return words
