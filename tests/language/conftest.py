"""The streams of ESL's Example 1, and a short way to say how a text fails."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.language.golden_plans import AGGREGATES, RELATIONS
from windrow.catalog import Catalog
from windrow.errors import StatementError
from windrow.language.aggregate_statements import CreateAggregate
from windrow.language.binder import bind
from windrow.language.changing import deleting, inserting, updating
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
from windrow.plan.nodes import Node

AUCTIONS = """
CREATE STREAM OpenAuction (itemID int,
    sellerID char(10), price real, start_time timestamp)
    ORDER BY start_time; /* external timestamps */
    SOURCE 'port4445';

CREATE STREAM ClosedAuction(itemID int,
    buyerID char(10), price real, current_time timestamp)
    ORDER BY current_time; /* internal timestamp */
    SOURCE 'port4446';

CREATE STREAM Bid(itemID int,
    price real, bidderID char(10), bid_time timestamp)
    SOURCE 'port4447';
"""

Failure = tuple[type[StatementError], str, str, str | None]
"""The class of an error, its message, the text over its caret, and its hint."""


def check_change(statement: InsertSelect | Update | Delete, catalog: Catalog) -> None:
    """What checking a statement that changes a table comes to."""
    match statement:
        case InsertSelect():
            inserting(statement, catalog)
        case Update():
            updating(statement, catalog)
        case Delete():
            deleting(statement, catalog)


def carry_out(statement: Statement, catalog: Catalog) -> None:
    """What checking a statement before it runs comes to."""
    if isinstance(statement, CreateStream | CreateDerivedStream | CreateRelation):
        catalog.add(define(statement, catalog))
    elif isinstance(statement, CreateAggregate):
        catalog.add(define_aggregate(statement, catalog))
    elif isinstance(statement, InsertValues):
        inserted(statement, catalog)
    elif isinstance(statement, InsertSelect | Update | Delete):
        check_change(statement, catalog)
    elif query := getattr(statement, "query", None):
        bind(query, catalog)


@pytest.fixture
def catalog() -> Catalog:
    """OpenAuction (external), ClosedAuction (internal) and Bid (latent)."""
    auctions = Catalog()
    for statement in parse(AUCTIONS):
        carry_out(statement, auctions)
    return auctions


@pytest.fixture
def furnished(catalog: Catalog) -> None:
    """Besides the auctions, tables (Item, and the NRR Seller) and aggregates of the user's own."""
    catalog.relations.update(RELATIONS)
    catalog.aggregates.update(AGGREGATES)


@pytest.fixture
def run(catalog: Catalog) -> Callable[[str], None]:
    """Parse statements and check each against the auctions and those before it."""

    def run_(text: str) -> None:
        for statement in parse(text):
            carry_out(statement, catalog)

    return run_


@pytest.fixture
def fails(run: Callable[[str], None]) -> Callable[[str], Failure]:
    """How a text fails."""

    def fails_(text: str) -> Failure:
        with pytest.raises(StatementError) as caught:
            run(text)
        error, span = caught.value, caught.value.span
        under = span.text[span.column - 1 : span.column - 1 + span.length]
        return type(error), error.message, under, error.hint

    return fails_


@pytest.fixture
def plan(catalog: Catalog) -> Callable[[str], Node]:
    """The plan of a query over the auctions."""

    def plan_(text: str) -> Node:
        (statement,) = parse(text)
        return bind(statement.query, catalog)  # type: ignore[attr-defined]

    return plan_
