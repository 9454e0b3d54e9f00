"""Text in, plan out: the files in golden/ are what queries mean, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.language.golden_plans import Example, catalog_of, examples, planned

BY_FILE: dict[Path, list[Example]] = {}
for _example in examples():
    BY_FILE.setdefault(_example.file, []).append(_example)


@pytest.mark.parametrize("file", BY_FILE, ids=lambda file: file.stem)
def test_every_query_of_a_file_has_the_plan_that_is_recorded(file: Path) -> None:
    catalog = catalog_of(BY_FILE[file][0].declarations)
    for example in BY_FILE[file]:
        assert planned(example.text, catalog) == example.plan, example.title
