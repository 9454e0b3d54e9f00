"""CREATE AGGREGATE … LANGUAGE PYTHON: what is no class for it is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.language.conftest import Failure
from windrow.errors import ParseError, Refused, StatementError

REFUSALS = [
    (
        "CREATE AGGREGATE f(x int) : int LANGUAGE PYTHON AS 'Median'",
        ParseError,
        "'Median' names no class",
        "'Median'",
        "write 'module:Class', as in 'stats:Median'",
    ),
    (
        "CREATE AGGREGATE f(x int) : int LANGUAGE JAVA AS 'a:B'",
        ParseError,
        "expected PYTHON, found 'JAVA'",
        "JAVA",
        None,
    ),
    (
        "CREATE AGGREGATE f(x int) : int LANGUAGE PYTHON AS 'no_such:B'",
        Refused,
        "module no_such cannot be imported: No module named 'no_such'",
        "'no_such:B'",
        "it has to be on Python's path, for every worker",
    ),
    (
        "CREATE AGGREGATE f(x int) : int LANGUAGE PYTHON AS 'fractions:B'",
        Refused,
        "module fractions has no class B",
        "'fractions:B'",
        "write 'module:Class'",
    ),
    (
        "CREATE AGGREGATE f(x int) : int LANGUAGE PYTHON AS 'fractions:Fraction'",
        Refused,
        "the class Fraction has no method initialize",
        "'fractions:Fraction'",
        "define initialize(self, …) with an argument for each of the aggregate's",
    ),
]


@pytest.mark.parametrize(("text", "kind", "message", "under", "hint"), REFUSALS)
def test_what_is_refused(
    text: str,
    kind: type[StatementError],
    message: str,
    under: str,
    hint: str | None,
    fails: Callable[[str], Failure],
) -> None:
    assert fails(text) == (kind, message, under, hint)
