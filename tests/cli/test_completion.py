"""What the Tab key offers."""

from __future__ import annotations

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from windrow.catalog import Catalog, Relation, Stream
from windrow.cli.completion import NameCompleter, words_before
from windrow.schema import Schema


@pytest.fixture
def completer() -> NameCompleter:
    catalog = Catalog()
    catalog.add(Stream("Bid", Schema.of(("itemID", "INTEGER"), ("price", "FLOAT"))))
    catalog.add(Stream("OpenAuction", Schema.of(("itemID", "INTEGER"), ("sellerID", "VARCHAR"))))
    catalog.add(Relation("Item", Schema.of(("name", "VARCHAR"))))
    return NameCompleter(catalog, ["backlog", "batch_rows"], ["\\d", "\\stop"])


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("SEL", ["sellerID", "SELECT"]),
        ("sel", ["sellerID", "select"]),
        ("SELECT pr", ["price", "primary"]),
        ("SELECT itemID, se", ["sellerID", "select", "set", "settings"]),
        ("SELECT * FROM ", ["Bid", "OpenAuction", "Item"]),
        ("UPDATE i", ["Item"]),
        ("DROP NRR i", ["Item"]),
        ("SELECT * FROM o", ["OpenAuction"]),
        ("SELECT * FROM Bid.", ["Bid.late", "Bid.rejected"]),
        ("SET b", ["backlog", "batch_rows"]),
        ("\\", ["\\d", "\\stop"]),
        ("\\d op", ["OpenAuction"]),
        ("SELECT ", []),
        ("SELECT xyz", []),
        ("", []),
    ],
)
def test_what_can_stand_there_is_offered(completer: NameCompleter, typed: str, offered: list[str]) -> None:
    completions = completer.get_completions(Document(typed), CompleteEvent())
    assert [completion.text for completion in completions] == offered


def test_a_completion_replaces_what_was_typed(completer: NameCompleter) -> None:
    (completion,) = completer.get_completions(Document("\\d Bi"), CompleteEvent())
    assert completion.start_position == -2


def test_words_are_cut_at_everything_that_no_name_has() -> None:
    assert words_before("SELECT a+b.c, (d") == ["SELECT", "a", "b.c", "d"]
    assert words_before("SELECT ") == ["SELECT", ""]
