"""Generated modules as files in the user's cache folder, named by their content.

numba keeps the machine code beside them, so what was compiled once is there at the next start, and for
every process of the user.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

Kernel = Callable[..., Any]


@lru_cache(maxsize=256)
def loaded(text: str) -> Kernel:
    """The function `run` of a module."""
    name = f"esl_{hashlib.sha256(text.encode()).hexdigest()[:24]}"
    path = written(f"{name}.py", text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # numba finds the globals of machine code by the module's name
    spec.loader.exec_module(module)
    run: Kernel = module.run
    return run


def cache_folder() -> Path:
    """Where generated modules lie."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "windrow" / "aggregates"


def written(name: str, text: str) -> Path:
    """A file in the cache; where the cache cannot be written, one for this process alone."""
    try:
        return _in_folder(cache_folder(), name, text)
    except OSError:
        return _in_folder(Path(tempfile.mkdtemp(prefix="windrow-")), name, text)


def _in_folder(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}.tmp")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)
    return path
