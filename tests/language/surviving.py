"""Everything that is done with a text before anything runs."""

from __future__ import annotations

from tests.language.conftest import check_change
from windrow.catalog import Catalog
from windrow.errors import StatementError
from windrow.language.aggregate_statements import CreateAggregate
from windrow.language.binder import bind
from windrow.language.define import define
from windrow.language.define_aggregate import define_aggregate
from windrow.language.inserting import inserted
from windrow.language.parser import parse
from windrow.language.statements import (
    CreateDerivedStream,
    CreateRelation,
    CreateStream,
    Delete,
    InsertSelect,
    InsertValues,
    Statement,
    Update,
)
from windrow.plan.choosing import choose
from windrow.plan.explain import explain
from windrow.plan.stages import compile_plan


def survives(text: str, catalog: Catalog) -> bool:
    """Whether it is right; if it is wrong, a windrow error says where. Anything else is raised."""
    try:
        for statement in parse(text):
            check(statement, catalog)
    except StatementError as error:
        return not str(error)
    return True


def check(statement: Statement, catalog: Catalog) -> None:
    """A statement by itself, up to the plan that would run."""
    if isinstance(statement, CreateStream | CreateDerivedStream | CreateRelation):
        define(statement, catalog)
    elif isinstance(statement, CreateAggregate):
        define_aggregate(statement, catalog)
    elif isinstance(statement, InsertValues):
        inserted(statement, catalog)
    elif isinstance(statement, InsertSelect | Update | Delete):
        check_change(statement, catalog)
    elif query := getattr(statement, "query", None):
        choice = choose(bind(query, catalog))
        compile_plan(choice.plan)
        explain(choice.plan, alternatives=choice.alternatives)
