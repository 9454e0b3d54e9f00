from __future__ import annotations

from pathlib import Path

import pytest

from windrow.errors import SourceError
from windrow.sources.done_files import DoneFiles

NAMES = ["plain", "with\nnewline", "ümlaut", 'quote"']


@pytest.fixture(params=["journal", "no journal"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return tmp_path / "state" / "done" if request.param == "journal" else None


def opened(journal: Path | None, mark: object = None) -> DoneFiles:
    done = DoneFiles(journal)
    done.restore(mark)  # type: ignore[arg-type]
    return done


def test_a_mark_brings_back_the_names(journal: Path | None) -> None:
    done = opened(journal)
    for name in NAMES:
        done.add(name)
    mark = done.mark()
    done.close()
    again = opened(journal, mark)
    assert all(name in again for name in NAMES)
    assert "other" not in again
    assert again.mark() == mark
    again.close()


def test_names_after_the_mark_are_forgotten(journal: Path | None) -> None:
    done = opened(journal)
    done.add("a")
    mark = done.mark()
    done.add("b")
    done.mark()
    done.close()
    again = opened(journal, mark)
    assert ("a" in again, "b" in again) == (True, False)
    again.add("c")
    later = again.mark()
    again.close()
    third = opened(journal, later)
    assert ("a" in third, "b" in third, "c" in third) == (True, False, True)
    third.close()


def test_without_a_mark_a_journal_that_is_there_counts_for_nothing(tmp_path: Path) -> None:
    done = opened(tmp_path / "done")
    done.add("a")
    done.mark()
    done.close()
    again = opened(tmp_path / "done")
    assert "a" not in again
    again.close()


def test_names_in_a_position_move_to_a_journal(tmp_path: Path) -> None:
    done = opened(tmp_path / "done", ["a", "b"])
    mark = done.mark()
    done.close()
    assert isinstance(mark, int)
    again = opened(tmp_path / "done", mark)
    assert "b" in again
    again.close()


@pytest.mark.parametrize("content", [b"", b'"a"\n', b'"a\n' * 25, b"\xff" * 100])
def test_a_damaged_journal_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "done").write_bytes(content)
    done = DoneFiles(tmp_path / "done")
    with pytest.raises(SourceError, match="is damaged or cut short"):
        done.restore(100)
    done.close()


def test_a_mark_of_a_journal_needs_it() -> None:
    with pytest.raises(SourceError, match="in a journal that is not given"):
        opened(None, 100)


def test_a_journal_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match="cannot write the journal"):
        opened(tmp_path / "file" / "done")
