"""The pictures of the documentation are those that the code draws."""

from __future__ import annotations

from pathlib import Path

from bench.pictures.update_patterns import FOLDER, draw_all


def test_the_pictures_are_up_to_date(tmp_path: Path) -> None:
    draw_all(tmp_path)
    drawn = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert drawn == {path.name: path.read_text() for path in FOLDER.iterdir()}
