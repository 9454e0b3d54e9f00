from __future__ import annotations

import os
from pathlib import Path

import pytest

from windrow.errors import SourceError
from windrow.sources.listing import Listing


def names(path: Path | str, *without: str) -> list[str]:
    return [file.name for file in Listing(str(path)).files(without=without)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, name in enumerate(("b.csv", "a.csv", "c.txt", ".hidden", "_hidden", "below/d.csv")):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x" * number)
        os.utime(path, ns=(0, 1000 + number // 2))
    return tmp_path


def test_a_directory_lists_its_own_files_by_time_then_name(folder: Path) -> None:
    assert names(folder) == ["a.csv", "b.csv", "c.txt"]
    first = Listing(str(folder)).files(without=())[0]
    assert (first.path, first.size, first.modified) == (folder / "a.csv", 1, 1000)


def test_files_that_are_done_are_left_out(folder: Path) -> None:
    assert names(folder, "a.csv", "c.txt") == ["b.csv"]


def test_a_glob_names_files_by_their_path_below_its_fixed_part(folder: Path) -> None:
    assert names(folder / "*.csv") == ["a.csv", "b.csv"]
    assert names(folder / "**/*.csv") == ["a.csv", "b.csv", "below/d.csv"]
    assert names(folder / "bel*/?.csv") == ["below/d.csv"]


def test_a_single_file_is_itself(folder: Path) -> None:
    listing = Listing(str(folder / "a.csv"))
    assert listing.is_single_file
    assert [file.path for file in listing.files(without=())] == [folder / "a.csv"]
    assert names(folder / ".hidden") == [".hidden"]


def test_a_link_is_followed_and_a_broken_one_passed_over(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "below" / "d.csv")
    (folder / "broken").symlink_to(folder / "nowhere")
    assert set(names(folder)) == {"a.csv", "b.csv", "c.txt", "link"}


@pytest.mark.parametrize("path", ["no/such", "no/*.csv"])
def test_a_place_that_is_not_there_is_an_error_that_says_what_is(tmp_path: Path, path: str) -> None:
    with pytest.raises(SourceError) as raised:
        Listing(f"{tmp_path}/{path}").check()
    assert raised.value.hint == f"{tmp_path} exists; create the rest of the path, or mend it"
