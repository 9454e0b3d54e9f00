"""Whether a script is the one whose queries a checkpoint runs.

A checkpoint runs all that it ever was told to. So a script that does not ask for each of its queries
would start more than it says, and the checkpoint would then be neither the one script's nor the other's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from windrow.catalog import Aggregate, Readable
from windrow.errors import CheckpointError
from windrow.language import statements as said
from windrow.language.aggregate_statements import CreateAggregate
from windrow.language.parser import parse
from windrow.runtime.delivery import MEMORY
from windrow.runtime.program import QueryText

Definition = said.CreateStream | said.CreateDerivedStream | said.CreateRelation | CreateAggregate


def claimed(restored: Iterable[QueryText], sql: str, sink: str, name: str | None) -> QueryText | None:
    """Of the queries that a checkpoint runs, the one that is asked for once more."""
    return next(
        (
            query
            for query in restored
            if (query.sql, query.sink) == (sql, sink) and name in (None, query.name)
        ),
        None,
    )


def key_of(defined: Readable | Aggregate | Definition) -> str:
    """What something that is defined, or the statement that does it, goes by among all definitions."""
    name = str(defined.name).lower()
    if isinstance(defined, Aggregate | CreateAggregate):
        return f"{'window ' if defined.window else ''}aggregate {name}"
    return name


def check_script(sql: str, definitions: Mapping[str, str], queries: Iterable[QueryText]) -> None:
    """Refuse a script that defines something of the checkpoint otherwise, or lacks one of its queries.

    What is defined is given by its key and the statement that defined it.
    """
    defined, left = dict(definitions), list(queries)
    for statement in parse(sql):
        match statement:
            case (
                said.CreateStream() | said.CreateDerivedStream() | said.CreateRelation() | CreateAggregate()
            ):
                if not statement.if_not_exists:
                    check_definition(statement, defined)
            case said.Drop(what="stream" | "table" | "NRR"):
                defined.pop(statement.name.text.lower(), None)
            case said.Drop(what="aggregate" | "window aggregate" as what):
                name = statement.name.text.lower()
                for kind in (what, f"window {what}"):
                    defined.pop(f"{kind} {name}", None)
            case said.Drop(what="query"):
                left = [query for query in left if query.name.lower() != statement.name.text.lower()]
            case said.CreateQuery() | said.InsertQuery() | said.QueryStatement():
                left = _without_claimed(left, statement)
    if left:
        raise _of_another_script(left)


def check_definition(statement: Definition, defined: Mapping[str, str]) -> None:
    """Refuse a definition that is not the one that the checkpoint knows under this key."""
    known = defined.get(key_of(statement), statement.text)
    if known != statement.text:
        raise CheckpointError(
            f"the checkpoint is of another script: there {statement.name} is\n{known}",
            hint="name another checkpoint, or drop it there first",
        )


def _without_claimed(
    left: list[QueryText], statement: said.CreateQuery | said.InsertQuery | said.QueryStatement
) -> list[QueryText]:
    sink = statement.uri.text if isinstance(statement, said.InsertQuery) else MEMORY
    name = statement.name.text if isinstance(statement, said.CreateQuery) else None
    if isinstance(statement, said.CreateQuery) and statement.if_not_exists:
        return [query for query in left if query.name.lower() != statement.name.text.lower()]
    found = claimed(left, statement.query.text, sink, name)
    return [query for query in left if query is not found]


def _of_another_script(lacking: list[QueryText]) -> CheckpointError:
    what = (
        "a query that this one lacks"
        if len(lacking) == 1
        else f"{len(lacking)} queries that this one lacks"
    )
    lines = [f"the checkpoint is of another script: it runs {what}", *map(_statement, lacking)]
    drops = "; ".join(f"DROP QUERY IF EXISTS {query.name}" for query in lacking)
    return CheckpointError(
        "\n".join(lines), hint=f"name another checkpoint, or write {drops} into the script"
    )


def _statement(query: QueryText) -> str:
    return query.sql if query.sink == MEMORY else f"INSERT INTO '{query.sink}' {query.sql}"
