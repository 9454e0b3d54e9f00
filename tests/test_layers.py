"""Imports between the parts of windrow point down only; the contracts stand in pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import windrow

ROOT = Path(__file__).parents[1]


def test_imports_keep_the_contracts() -> None:
    program = Path(sys.executable).with_name("lint-imports")
    command = [program, "--no-cache", "--no-logo"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_every_part_has_a_layer() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["id"] == "layers")
    placed = {name.strip() for layer in layers for name in layer.replace("|", ":").split(":")}
    assert _parts() - placed == set()


def _parts() -> set[str]:
    """The modules and packages right under windrow, and under the package that spans layers."""
    package = Path(windrow.__file__).parent
    return {
        f"{prefix}.{path.stem}"
        for folder, prefix in ((package, "windrow"), (package / "plan", "windrow.plan"))
        for path in folder.iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists())
        and path.stem not in ("__init__", "plan")
    }
