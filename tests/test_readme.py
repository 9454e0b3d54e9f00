"""What the documents show is so: links lead somewhere, Python sessions give what they say, SQL is
accepted. docs/language.md has tests of its own, with the language's."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import windrow

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def blocks(document: Path, language: str) -> list[str]:
    """The fenced blocks of a document that are in one language."""
    return [text for named, text in _FENCED.findall(document.read_text()) if named == language]


def links(document: Path) -> list[str]:
    """Where a document's links lead, in the tree: those in examples and to other sites left out."""
    prose = _FENCED.sub("", document.read_text())
    return [target for target in _LINK.findall(prose) if not re.match(r"\w+:", target)]


def headings(document: Path) -> set[str]:
    """The anchors of a document's headings."""
    titles = re.findall(r"^#+ (.*)$", _FENCED.sub("", document.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


def with_blocks(language: str) -> list[Path]:
    return [each for each in DOCUMENTS if blocks(each, language) and each.name != "language.md"]


def name_of(document: Path) -> str:
    return str(document.relative_to(ROOT))


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(document: Path) -> None:
    for target in links(document):
        path, _, anchor = target.partition("#")
        there = (document.parent / path).resolve() if path else document
        assert there.exists(), f"{target}: no such file"
        assert not anchor or anchor in headings(there), f"{target}: no such heading"


@pytest.mark.parametrize("document", with_blocks("python"), ids=name_of)
def test_python_sessions_give_what_they_say(document: Path) -> None:
    session = "\n".join(text for text in blocks(document, "python") if ">>>" in text)
    test = doctest.DocTestParser().get_doctest(session, {}, document.name, str(document), 0)
    told: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=told.append)
    assert not told, "".join(told)


@pytest.mark.parametrize("document", with_blocks("sql"), ids=name_of)
def test_sql_is_accepted(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with windrow.connect(runner="inline") as db:
        for text in blocks(document, "sql"):
            db.execute(text)


def test_the_first_query_answers() -> None:
    (script,) = blocks(ROOT / "README.md", "sql")
    with windrow.connect(runner="inline") as db:
        query = db.execute(script)[-1].query
        assert query is not None
        while not db.metrics().tuples_out:
            db.run(seconds=0.1)
        answer = query.answer()
    assert answer.column_names == ["itemID", "bids", "highest"]
    highest = answer["highest"].to_pylist()
    assert highest == sorted(highest, reverse=True)
    assert 0 < len(highest) <= 5


def test_the_readme_names_only_tasks_that_there_are() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        for task in re.findall(r"\bmake ([a-z-]+) {2}", document.read_text()):
            assert re.search(rf"^{task}:", makefile, re.MULTILINE), task
