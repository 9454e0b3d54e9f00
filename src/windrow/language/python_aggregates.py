"""Aggregates written in Python: the class is found when the aggregate is created, and has its methods."""

from __future__ import annotations

import importlib

from windrow.errors import Refused
from windrow.language.statements import Text

_NEEDED = ("initialize", "iterate")


def check_class(python: Text, *, window: bool) -> tuple[bool, bool]:
    """Refuse a class that cannot serve. Whether it blocks, for it says something at the end, and whether
    its instances merge."""
    module, _, name = python.text.partition(":")
    try:
        found = getattr(importlib.import_module(module), name, None)
    except Exception as error:
        raise Refused(
            f"module {module} cannot be imported: {error}",
            python.span,
            hint="it has to be on Python's path, for every worker",
        ) from error
    if not isinstance(found, type):
        raise Refused(f"module {module} has no class {name}", python.span, hint="write 'module:Class'")
    leaves = callable(getattr(found, "inverse", None))
    for method in (*_NEEDED, *(("expire",) if window and not leaves else ())):
        if not callable(getattr(found, method, None)):
            raise Refused(
                f"the class {name} has no method {method}",
                python.span,
                hint=f"define {method}(self, …) with an argument for each of the aggregate's",
            )
    blocks, merges = (callable(getattr(found, name, None)) for name in ("terminate", "merge"))
    return blocks, blocks and merges
