"""The public surface: what is listed is there, and documented."""

from __future__ import annotations

import doctest
import inspect

import pytest

import windrow
import windrow.database
import windrow.errors


def test_the_public_names_are_these() -> None:
    assert sorted(windrow.__all__) == ["Database", "Error", "Query", "connect"]


def test_nothing_else_but_modules_is_there() -> None:
    public = {name for name, value in vars(windrow).items() if not name.startswith("_")}
    modules = {name for name in public if inspect.ismodule(getattr(windrow, name))}
    assert public - modules == set(windrow.__all__)


@pytest.mark.parametrize("owner", [windrow.Database, windrow.Query])
def test_every_public_method_says_what_it_does(owner: type) -> None:
    plain = {"name", "sql", "plan", "schema", "explain", "metrics"}  # said by their names and types
    members = inspect.getmembers(owner, lambda each: inspect.isfunction(each) or isinstance(each, property))
    silent = {name for name, value in members if not name.startswith("_") and not value.__doc__}
    assert silent <= plain


def test_every_error_is_a_windrow_error() -> None:
    classes = inspect.getmembers(windrow.errors, inspect.isclass)
    errors = [each for _, each in classes if issubclass(each, Exception)]
    assert len(errors) >= 10
    assert all(issubclass(each, windrow.Error) for each in errors)


def test_the_examples_in_its_docstrings_run() -> None:
    failed, attempted = doctest.testmod(windrow.database)
    assert (failed, attempted > 0) == (0, True)
