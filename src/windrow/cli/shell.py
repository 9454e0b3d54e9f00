"""The interactive shell: statements in, answers out, until Ctrl-D."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from rich.text import Text
from sqlglot import TokenType

from windrow.cli.commands import COMMANDS, Quit, Talk, obey
from windrow.cli.completion import NameCompleter
from windrow.cli.console import err, out
from windrow.cli.failures import report
from windrow.cli.following import follow
from windrow.cli.outcomes import print_outcome, speaks
from windrow.cli.signals import Terminated
from windrow.errors import ParseError
from windrow.language.tokens import CLOSING, OPENING, tokenize, word

if TYPE_CHECKING:
    from windrow.database import Database, Query

_PROMPT, _MORE = "windrow> ", "     ... "


class Shell:
    """One conversation over one database."""

    def __init__(self, db: Database) -> None:
        self._talk = Talk(db)
        names = [f"\\{command.name}" for command in COMMANDS]
        self._session: PromptSession[str] = PromptSession(
            history=history(),
            completer=NameCompleter(db.catalog, [name for name, *_ in db.settings], names),
            complete_while_typing=False,
            auto_suggest=AutoSuggestFromHistory(),
            lexer=PygmentsLexer.from_filename("statement.sql"),
            key_bindings=_keys(),
            multiline=True,
            prompt_continuation=_MORE,
        )

    def talk(self) -> None:
        """Read and answer until the user has had enough."""
        out().print(Text("windrow – \\help lists the commands, Ctrl-D ends.", style="dim"))
        while True:
            try:
                self.answer(self._session.prompt(_PROMPT))
            except Terminated:
                raise
            except KeyboardInterrupt:
                continue
            except (EOFError, Quit):
                return

    def answer(self, text: str) -> None:
        """Do what one entry says; what goes wrong in it is told, and the shell lives on."""
        start = time.monotonic()
        try:
            if text.lstrip().startswith("\\"):
                obey(self._talk, text)
            elif text.strip(" \t\n;"):
                self._execute(text)
        except Quit:
            raise
        except Exception as error:
            report(error)
        else:
            if self._talk.timing:
                out().print(Text(f"time: {(time.monotonic() - start) * 1000:,.1f} ms", style="dim"))

    def _execute(self, text: str) -> None:
        for outcome in self._talk.db.execute(text):
            print_outcome(out(), outcome)
            if query := speaks(outcome):
                self._watch(query)

    def _watch(self, query: Query) -> None:
        """Show what a query emits until Ctrl-C, which ends the query."""
        try:
            follow(self._talk.db, [query])
        except Terminated:
            raise
        except KeyboardInterrupt:
            out().print(Text(f"query {query.name} has stopped", style="dim"))
        finally:
            query.stop()


def complete(text: str) -> bool:
    """Whether an entry is ready to run: a command, nothing, statements up to a semicolon, or an aggregate
    with all its braces closed."""
    if not text.strip() or text.lstrip().startswith("\\"):
        return True
    try:
        tokens = tokenize(text)
    except ParseError:
        return False
    if sum((kind.token_type in OPENING) - (kind.token_type in CLOSING) for kind in tokens) > 0:
        return False
    if not tokens or tokens[-1].token_type is TokenType.SEMICOLON:
        return True
    return tokens[-1].token_type is TokenType.R_BRACE and any(
        word(token) == "AGGREGATE" for token in tokens
    )


def history() -> History:
    """Past entries, kept in the user's state directory; only in memory if that cannot be written."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    path = Path(state) / "windrow" / "history"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
    except OSError as error:
        err().print(Text(f"no history is kept: {error.strerror}: {path}", style="dim"))
        return InMemoryHistory()
    return FileHistory(str(path))


def _keys() -> KeyBindings:
    """Enter runs what is complete, and begins a new line in what is not."""
    keys = KeyBindings()

    @Condition
    def is_complete() -> bool:
        return complete(get_app().current_buffer.text)

    @keys.add("enter", filter=is_complete)
    def run_entry(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    return keys
