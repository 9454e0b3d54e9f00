"""Sentences of the whole grammar, drawn by chance, whole and broken; and constructs that nest or repeat.

No text of up to 10,000 characters gives anything but a plan or an error that says where, and all soon.
"""

from __future__ import annotations

import time
from random import Random

import pytest

from tests.language.conftest import carry_out
from tests.language.golden_plans import AGGREGATES
from tests.language.grammar import RULES, sentence
from tests.language.monsters import NESTED, monsters, nested
from tests.language.surviving import survives
from windrow.catalog import Catalog
from windrow.language.parser import parse

LONGEST = 10_000
SECONDS = 10
"""An age for any text: what takes exponential time takes longer."""


@pytest.fixture
def catalog(catalog: Catalog) -> Catalog:
    """The auctions, a table that can be changed, an NRR, and aggregates."""
    for statement in parse(
        "CREATE TABLE Item (id INT PRIMARY KEY, name VARCHAR, price REAL);"
        "CREATE NRR Seller (id INT PRIMARY KEY, city VARCHAR)"
    ):
        carry_out(statement, catalog)
    catalog.aggregates.update(AGGREGATES)
    return catalog


def broken(chance: Random, text: str) -> str:
    """The text with some words dropped, doubled, or exchanged for a part of another sentence."""
    words = text.split(" ")
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(words) + 1)
        match chance.choice(("drop", "double", "exchange")):
            case "drop":
                del words[place : place + 1]
            case "double":
                words.insert(place, chance.choice(words) if words else "(")
            case _:
                words[place : place + 1] = [sentence(chance, chance.choice([*RULES]), 2)]
    return " ".join(words)


def drawn(seed: int) -> str:
    chance = Random(seed)
    text = sentence(
        chance, chance.choice(["statement", "query", "select", "aggregate"]), chance.randint(2, 9)
    )
    return (broken(chance, text) if chance.random() < 0.3 else text)[:LONGEST]


def check(seeds: range, catalog: Catalog) -> int:
    """How many of the texts are right."""
    right = 0
    for seed in seeds:
        text, began = drawn(seed), time.monotonic()
        try:
            right += survives(text, catalog)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {text}") from error
        assert time.monotonic() - began < SECONDS, text
    return right


def test_sentences_of_the_grammar(catalog: Catalog) -> None:
    assert check(range(1000), catalog) > 80


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_very_many_sentences_of_the_grammar(catalog: Catalog, part: int) -> None:
    check(range(10_000 * (part + 1), 10_000 * (part + 2)), catalog)


def is_soon_told(text: str, catalog: Catalog) -> None:
    began = time.monotonic()
    survives(text, catalog)
    assert time.monotonic() - began < SECONDS


@pytest.mark.parametrize("kind", NESTED)
def test_nesting_a_thousand_deep_is_refused(catalog: Catalog, kind: str) -> None:
    began = time.monotonic()
    assert not survives(nested(kind, 1000), catalog)
    assert time.monotonic() - began < SECONDS


@pytest.mark.parametrize("text", [pytest.param(text, id=kind) for kind, text in monsters(2_000)])
def test_monsters(catalog: Catalog, text: str) -> None:
    is_soon_told(text, catalog)


@pytest.mark.slow
@pytest.mark.parametrize("text", [pytest.param(text, id=kind) for kind, text in monsters(LONGEST)])
def test_monsters_as_long_as_may_be(catalog: Catalog, text: str) -> None:
    is_soon_told(text, catalog)
