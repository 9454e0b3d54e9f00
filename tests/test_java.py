"""Installations are small folders made here: a `java` that can be run, and a `release` file or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from windrow.errors import RunnerError
from windrow.java import find_java, require_java


def install(home: Path, version: str, *, release: bool = True) -> Path:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
    program.chmod(0o755)
    if release:
        (home / "release").write_text(
            f'IMPLEMENTOR="Test"\nJAVA_VERSION="{version}"\nJAVA_VERSION_DATE="9"\n'
        )
    return home


@pytest.fixture
def nothing(tmp_path: Path) -> Path:
    return tmp_path / "nothing"


def test_java_home_comes_before_the_path(tmp_path: Path, nothing: Path) -> None:
    named = install(tmp_path / "named", "21.0.1")
    on_path = install(tmp_path / "on-path", "17.0.15")
    found = find_java({"JAVA_HOME": str(named), "PATH": str(on_path / "bin")}, nothing)
    assert found is not None
    assert (found.home, found.version) == (named, 21)


def test_a_link_on_the_path_leads_to_its_home(tmp_path: Path, nothing: Path) -> None:
    home = install(tmp_path / "jdk", "17.0.15")
    links = tmp_path / "links"
    links.mkdir()
    (links / "java").symlink_to(home / "bin" / "java")
    found = find_java({"PATH": str(links)}, nothing)
    assert found is not None
    assert found.home == home


def test_of_those_installed_side_by_side_the_oldest_usable_is_taken(tmp_path: Path) -> None:
    for version in ("25", "17.0.15", "11.0.2"):
        install(tmp_path / f"java-{version}", version)
    found = find_java({}, tmp_path)
    assert found is not None
    assert found.version == 17


def test_one_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    old = install(tmp_path / "old", "1.8.0_392")
    install(tmp_path / "installed" / "jdk", "17")
    found = find_java({"JAVA_HOME": str(old)}, tmp_path / "installed")
    assert found is not None
    assert found.version == 17


@pytest.mark.parametrize(("version", "major"), [("17.0.15", 17), ("21", 21)])
def test_without_a_release_file_java_is_asked(
    tmp_path: Path, nothing: Path, version: str, major: int
) -> None:
    home = install(tmp_path / "jdk", version, release=False)
    found = find_java({"JAVA_HOME": str(home)}, nothing)
    assert found is not None
    assert found.version == major


def test_a_folder_without_a_program_is_no_java(tmp_path: Path, nothing: Path) -> None:
    (tmp_path / "jdk").mkdir()
    assert find_java({"JAVA_HOME": str(tmp_path / "jdk"), "PATH": ""}, nothing) is None


def test_no_java_is_an_error_that_says_what_to_do(nothing: Path) -> None:
    with pytest.raises(RunnerError, match="Java 17 or later") as raised:
        require_java({}, nothing)
    assert "openjdk-17-jre-headless" in str(raised.value.hint)
