"""The names of declared columns."""

from __future__ import annotations

from collections.abc import Sequence

from windrow.errors import Refused
from windrow.language.statements import Name


def check_columns(names: Sequence[Name]) -> None:
    """Refuse a name that is there twice, or that only the system gives."""
    seen: set[str] = set()
    for name in names:
        if name.text.lower() in seen:
            raise Refused(
                f"there are two columns '{name}'", name.span, hint="case makes no difference: rename one"
            )
        if name.text.startswith("__"):
            raise Refused(
                f"'{name}' begins with two underscores, as only the system's own names do",
                name.span,
                hint="give it another name",
            )
        seen.add(name.text.lower())
