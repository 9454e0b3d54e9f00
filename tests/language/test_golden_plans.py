"""Text in, plan out: the files in golden/ are what queries mean, byte for byte."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.language.golden_plans import Example, catalog_of, examples, planned

BY_FILE: dict[Path, list[Example]] = {}
for _example in examples():
    BY_FILE.setdefault(_example.file, []).append(_example)


def test_every_example_of_esl_is_there() -> None:
    told = " ".join(example.title for example in examples() if example.file.stem == "esl")
    assert {int(number) for number in re.findall(r"example (\d+)", told)} == set(range(1, 19))


@pytest.mark.parametrize("file", BY_FILE, ids=lambda file: file.stem)
def test_every_query_of_a_file_has_the_plan_that_is_recorded(file: Path) -> None:
    catalog = catalog_of(BY_FILE[file][0].declarations)
    for example in BY_FILE[file]:
        assert planned(example.text, catalog) == example.plan, example.title
