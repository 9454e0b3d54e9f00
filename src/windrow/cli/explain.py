"""`windrow explain`: the plans of a script's queries, none of which runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from windrow.cli.arguments import script_text
from windrow.cli.console import out
from windrow.cli.opening import Options, opened
from windrow.errors import Error
from windrow.language.aggregate_statements import CreateAggregate
from windrow.language.parser import parse
from windrow.language.statements import (
    CreateDerivedStream,
    CreateQuery,
    CreateRelation,
    CreateStream,
    Explain,
    InsertQuery,
    QueryStatement,
    SetSetting,
)
from windrow.session import told_within

if TYPE_CHECKING:
    from windrow.database import Database

Form = Literal["text", "json", "dot"]
DECLARATIONS = CreateStream | CreateDerivedStream | CreateRelation | CreateAggregate | SetSetting


def explain(script: str, form: Form) -> None:
    with opened(Options(runner="inline")) as db:
        found = list(plans(db, script_text(script), form))
    if not found:
        raise Error(
            f"{script} has no query to explain", hint="SELECT … or INSERT INTO … SELECT … has a plan"
        )
    out().file.write(f"{_joined(found, form)}\n")


def plans(db: Database, statements: str, form: Form) -> Iterator[tuple[str, str]]:
    """Each query of a script with its plan. What queries name is declared on the way, and settings are
    made; nothing else is done."""
    for statement in parse(statements):
        if isinstance(statement, DECLARATIONS):
            with told_within(statement.span):
                db.execute(statement.text)
        elif isinstance(statement, QueryStatement | InsertQuery | CreateQuery | Explain):
            with told_within(statement.query.span):
                plan = db.explain(statement.query.text, form)
            yield statement.text, plan.rstrip()


def _joined(found: list[tuple[str, str]], form: Form) -> str:
    """Plans one below the other, as what the form is made for can read them."""
    if form == "json":
        return json.dumps([json.loads(plan) for _, plan in found], indent=2)
    if form == "dot" or len(found) == 1:
        return "\n".join(plan for _, plan in found)
    return "\n\n".join(f"{' '.join(text.split())}\n{plan}" for text, plan in found)
