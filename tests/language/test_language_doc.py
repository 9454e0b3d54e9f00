"""docs/language.md: every example parses and binds, every error is what the page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.language.conftest import check_change
from windrow.catalog import Catalog
from windrow.errors import StatementError
from windrow.language.aggregate_statements import CreateAggregate
from windrow.language.binder import bind
from windrow.language.define import check_drop, define
from windrow.language.define_aggregate import define_aggregate
from windrow.language.inserting import inserted
from windrow.language.parser import BEGINNINGS, parse
from windrow.language.settings import SETTINGS, Settings
from windrow.language.statements import (
    CreateDerivedStream,
    CreateRelation,
    CreateStream,
    Delete,
    Drop,
    InsertSelect,
    InsertValues,
    SetSetting,
    Statement,
    Update,
)

PAGE = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")

ABOUT_QUERIES = (
    *("Queries", "Windows", "Joins", "Groups", "The first so many", "WITH", "OVER"),
    *("UNION, INTERSECT, EXCEPT", "DISTINCT", "EXISTS and IN", "Answers as streams", "Everything else"),
    *("Deriving streams", "Tables in queries", "Aggregates of your own"),
)


def examples() -> Iterator[tuple[str, str | None]]:
    """The SQL blocks of the page, each with the error that is shown under it."""
    fences = [token for token in MarkdownIt().parse(PAGE) if token.type == "fence"]
    for fence, next_ in zip(fences, [*fences[1:], None], strict=True):
        if fence.info == "sql":
            shown = next_.content.rstrip() if next_ is not None and next_.info == "text" else None
            yield fence.content, shown


def carry_out(statement: Statement, catalog: Catalog) -> None:
    match statement:
        case CreateAggregate():
            catalog.add(define_aggregate(statement, catalog))
        case CreateStream() | CreateDerivedStream() | CreateRelation():
            catalog.add(define(statement, catalog))
        case InsertValues():
            inserted(statement, catalog)
        case InsertSelect() | Update() | Delete():
            check_change(statement, catalog)
        case Drop():
            if check_drop(statement, catalog, {}):
                if aggregate := catalog.aggregate(statement.name.text):
                    catalog.drop_aggregate(aggregate)
                else:
                    catalog.drop(statement.name.text)
        case SetSetting():
            Settings().set(statement.name.text, statement.value.text)
        case _ if query := getattr(statement, "query", None):
            bind(query, catalog)


def run(text: str, catalog: Catalog) -> None:
    for statement in parse(text):
        carry_out(statement, catalog)


def test_every_example_of_the_page() -> None:
    catalog = Catalog()
    errors = 0
    for text, shown in examples():
        if shown is None:
            run(text, catalog)
            continue
        with pytest.raises(StatementError) as caught:
            run(text, catalog)
        assert str(caught.value) == shown
        errors += 1
    assert errors > 5


def test_every_statement_has_its_row() -> None:
    rows = "\n".join(line for line in PAGE.splitlines() if line.startswith("| `"))
    for beginning in BEGINNINGS:
        assert f"`{beginning} " in rows, beginning
    for kind in ("STREAM", "TABLE", "NRR", "QUERY", "[ALGEBRAIC] [WINDOW] AGGREGATE"):
        assert f"`CREATE {kind} name" in rows, kind
    for kind in ("`DROP STREAM`", "`TABLE`", "`NRR`", "`QUERY`", "`AGGREGATE`", "`WINDOW AGGREGATE`"):
        assert kind in next(row for row in rows.splitlines() if row.startswith("| `DROP"))


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_has_its_row(name: str) -> None:
    setting = SETTINGS[name]
    assert f"| `{name}` | {setting.kind} | {setting.doc} |" in PAGE


@pytest.mark.parametrize("section", ABOUT_QUERIES)
def test_every_section_on_queries_has_examples_and_tells_the_update_pattern(section: str) -> None:
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    assert "```sql" in text
    assert "pattern" in text or re.search(r"\b(monotonic|weak|strict)\b", text)


def test_the_contents_name_every_section() -> None:
    sections = [line.removeprefix("## ") for line in PAGE.splitlines() if line.startswith("## ")]
    listed = [line[3:].partition("]")[0] for line in PAGE.splitlines() if line.startswith("- [")]
    assert listed == sections
