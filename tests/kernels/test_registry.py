"""Caching is tried on copies of the package, in processes of their own, with the kernels of two modules."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import windrow
from windrow.kernels.registry import is_warm, kernels, warm

WARM = """
from windrow.kernels import registry
from windrow.kernels.clocks import late_mask, scan_arrivals
from windrow.kernels.registry import is_warm, warm
registry.MODULES = ("windrow.kernels.chains", "windrow.kernels.clocks")
print(is_warm())
warm(lambda done, todo, name: None)
print(is_warm())
late_mask([1, 2], 0, 0)
print(dict(scan_arrivals.compiled.stats.cache_hits) != {})
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    source = Path(windrow.__file__).parent
    copied = shutil.copytree(source, tmp_path / "windrow", ignore=shutil.ignore_patterns("__pycache__"))
    return copied.parent


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
