"""`windrow bench` finds its checkout, or says that it needs one."""

from __future__ import annotations

from pathlib import Path

import pytest

import windrow
from windrow.cli.bench import checkout
from windrow.errors import Error


def test_it_runs_from_the_checkout_that_it_is_installed_from() -> None:
    assert (checkout() / "bench" / "harness.py").is_file()


def test_without_a_checkout_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windrow, "__file__", str(tmp_path / "lib" / "site" / "windrow" / "__init__.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Error, match="not part of the installed package") as refused:
        checkout()
    assert "clone" in (refused.value.hint or "")


def test_inside_a_checkout_it_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windrow, "__file__", str(tmp_path / "lib" / "site" / "windrow" / "__init__.py"))
    for folder in ("bench", "src/windrow", "docs"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "bench" / "harness.py").touch()
    monkeypatch.chdir(tmp_path / "docs")
    assert checkout() == tmp_path
