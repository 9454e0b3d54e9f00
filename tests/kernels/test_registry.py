"""Caching is tried in processes of their own, on a package that has the registry and two small kernels."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from windrow.kernels import registry
from windrow.kernels.registry import is_warm, kernels, warm

WARM = """
from windrow.kernels import registry, small
from windrow.kernels.registry import is_warm, warm
registry.MODULES = ("windrow.kernels.small",)
print(is_warm())
warm(lambda done, todo, name: None)
print(is_warm())
assert small.two_more(1) == 3
print(dict(small.two_more.compiled.stats.cache_hits) != {})
"""
SMALL = """
from windrow.kernels.registry import kernel

@kernel("int64(int64)")
def one_more(number):
    return number + 1

@kernel("int64(int64)")
def two_more(number):
    return one_more(one_more(number))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    kernels = tmp_path / "windrow" / "kernels"
    kernels.mkdir(parents=True)
    for folder in (kernels.parent, kernels):
        (folder / "__init__.py").touch()
    shutil.copy(registry.__file__, kernels)
    (kernels / "small.py").write_text(SMALL)
    return tmp_path


def run(package: Path, home: Path) -> list[str]:
    environment = os.environ | {"PYTHONPATH": str(package), "XDG_CACHE_HOME": str(home)}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", WARM],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_warming_tells_its_progress_and_leaves_nothing_to_compile() -> None:
    told: list[tuple[int, int, str]] = []
    warm(lambda done, todo, name: told.append((done, todo, name)))
    todo = len(kernels())
    assert [(done, todo) for done in range(todo + 1)] == [(done, count) for done, count, _ in told]
    assert [name for _, _, name in told] == [*(each.name for each in kernels()), ""]
    assert is_warm()


def test_what_one_process_compiled_the_next_one_finds(package: Path, tmp_path: Path) -> None:
    assert run(package, tmp_path / "home") == ["False", "True", "False"]
    assert run(package, tmp_path / "home") == ["True", "True", "True"]
    assert not (tmp_path / "home").exists()


def test_beside_a_folder_that_cannot_be_written_the_users_cache_serves(
    package: Path, tmp_path: Path
) -> None:
    # A file in the place of the folder stops even root from writing there.
    (package / "windrow" / "kernels" / "__pycache__").touch()
    assert run(package, tmp_path / "home") == ["False", "True", "False"]
    assert run(package, tmp_path / "home") == ["True", "True", "True"]


def test_with_no_folder_to_cache_in_kernels_still_run(package: Path, tmp_path: Path) -> None:
    (package / "windrow" / "kernels" / "__pycache__").touch()
    (tmp_path / "home").touch()
    assert run(package, tmp_path / "home") == ["False", "False", "False"]


def test_importing_windrow_does_not_import_numba() -> None:
    code = "import sys, windrow.kernels.clocks, windrow.kernels.registry; print('numba' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "False"
