r"""The shell's own commands: `\name`, each one entry of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from rich.text import Text

from windrow.catalog import DerivedStream, Readable, Relation, Stream
from windrow.cli.console import out
from windrow.cli.following import follow
from windrow.cli.outcomes import print_outcome
from windrow.cli.render import print_table
from windrow.cli.signals import Terminated
from windrow.cli.summary import queries_table, steps_table
from windrow.durations import format_duration
from windrow.errors import Error
from windrow.language.names import suggest

if TYPE_CHECKING:
    from windrow.database import Database, Query


class Quit(Exception):
    """The shell is to end."""


@dataclass(slots=True)
class Talk:
    """What the commands work on: the database, and how the shell answers."""

    db: Database
    timing: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    argument: str
    help: str
    run: Callable[[Talk, str], None]


def describe(talk: Talk, name: str) -> None:
    if not name:
        _ask(talk, "SHOW STREAMS")
        if talk.db.catalog.relations:
            _ask(talk, "SHOW TABLES")
        return
    found = talk.db.catalog.named(name)
    if found is None:
        raise _unknown("stream or table", name, [each.name for each in talk.db.catalog.readable()])
    print_table(out(), columns_table(found))
    out().print(Text(about(found), style="dim"), soft_wrap=True)


def explain(talk: Talk, query: str) -> None:
    running = talk.db.queries.get(query)
    if not query:
        raise Error("\\explain needs a query", hint="\\explain SELECT … shows its plan and does not run it")
    text = talk.db.explain(query) if running is None else running.explain()
    out().print(Text(text.rstrip()), soft_wrap=True)


def run(talk: Talk, _argument: str) -> None:
    if not talk.db.queries:
        raise Error("no query is running", hint="INSERT INTO 'console:' SELECT … starts one")
    try:
        follow(talk.db, ())
    except Terminated:
        raise
    except KeyboardInterrupt:
        out().print()


def queries(talk: Talk, _argument: str) -> None:
    _ask(talk, "SHOW QUERIES")


def metrics(talk: Talk, name: str) -> None:
    chosen = [_named(talk, name)] if name else list(talk.db.queries.values())
    print_table(out(), queries_table(chosen), count=False)
    out().print()
    print_table(out(), steps_table(chosen), count=False)


def stop(talk: Talk, name: str) -> None:
    _named(talk, name).stop()
    out().print(Text(f"query {name} has stopped"))


def _named(talk: Talk, name: str) -> Query:
    query = talk.db.queries.get(name)
    if query is None:
        raise _unknown("query", name, list(talk.db.queries))
    return query


def timing(talk: Talk, argument: str) -> None:
    talk.timing = not talk.timing if not argument else argument.lower() == "on"
    out().print(Text(f"timing is {'on' if talk.timing else 'off'}"))


def show_help(_talk: Talk, _argument: str) -> None:
    for command in COMMANDS:
        usage = f"\\{command.name} {command.argument}".ljust(18)
        out().print(Text.assemble((usage, "bold"), command.help), soft_wrap=True)
    out().print(
        Text(
            "\nA statement ends with ; and may have many lines. A SELECT shows its changes until Ctrl-C.\n"
            "Tab completes keywords and names. Ctrl-C clears the line, Ctrl-D ends the shell.",
            style="dim",
        ),
        soft_wrap=True,
    )


def quit_(_talk: Talk, _argument: str) -> None:
    raise Quit


COMMANDS = (
    Command("d", "[name]", "the streams and tables, or the columns of one", describe),
    Command("explain", "query", "the plan of a query, or of one that runs", explain),
    Command("metrics", "[name]", "what queries took, step by step", metrics),
    Command("queries", "", "the queries that there are", queries),
    Command("run", "", "let the queries run until Ctrl-C", run),
    Command("stop", "name", "end a query", stop),
    Command("timing", "[on|off]", "say how long statements take", timing),
    Command("help", "", "this list", show_help),
    Command("q", "", "end the shell", quit_),
)


def obey(talk: Talk, line: str) -> None:
    r"""Do what a line that begins with `\` says."""
    name, _, argument = line.strip().removeprefix("\\").partition(" ")
    command = next((command for command in COMMANDS if command.name == name), None)
    if command is None:
        raise _unknown("command", f"\\{name}", [f"\\{command.name}" for command in COMMANDS])
    command.run(talk, argument.strip().rstrip(";").rstrip())


def _ask(talk: Talk, statement: str) -> None:
    for outcome in talk.db.execute(statement):
        print_outcome(out(), outcome)


def _unknown(kind: str, name: str, names: list[str]) -> Error:
    return Error(f"there is no {kind} {name}".rstrip(), hint=suggest(name, names, "there are"))


def columns_table(declared: Readable) -> pa.Table:
    return pa.table(
        {
            "column": pa.array([field.name for field in declared.schema], pa.string()),
            "type": pa.array([field.type for field in declared.schema], pa.string()),
        }
    )


def about(stream: Readable) -> str:
    """What else is to be said of a stream or a table."""
    if isinstance(stream, Relation):
        key = f"its key is {', '.join(stream.key)}" if stream.key else "without a key"
        return f"{stream.name} is {'a table' if stream.retroactive else 'an NRR'}; {key}"
    if isinstance(stream, DerivedStream):
        return f"{stream.name} is derived: {' '.join(stream.sql.split())}"
    column = f", in {stream.timestamp}" if stream.timestamp else ""
    slack = f"; slack {format_duration(stream.slack)}" if stream.slack else ""
    return f"timestamps are {_stamping(stream)}{column}{slack}; source: {stream.source or 'push'}"


def _stamping(stream: Stream | DerivedStream) -> str:
    return stream.stamping.value if isinstance(stream, Stream) else "derived"
