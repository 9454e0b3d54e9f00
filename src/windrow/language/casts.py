"""Casts that DuckDB binds but cannot carry out, such as INTEGER to DATE: found before anything runs."""

from __future__ import annotations

import functools

from sqlglot import exp

from windrow.language import engine
from windrow.language.engine import Fault
from windrow.language.tokens import DIALECT

_SPECIMENS = (
    "0",
    "2000-01-01",
    "00:00:00",
    "[]",
    "{}",
    "00000000-0000-0000-0000-000000000000",
)
"""Texts of which one or another gives a value of nearly every type."""


def specimen(type_: str) -> str:
    """The SQL of some value of a type; of a type without a specimen, of NULL."""
    tries = ", ".join(f"TRY_CAST('{text}' AS {type_})" for text in _SPECIMENS)
    return f"COALESCE({tries})"


@functools.lru_cache(maxsize=512)
def castable(source: str, target: str) -> bool:
    """Whether values of a type can be cast to another at all; true of a type without a specimen."""
    try:
        engine.rows(f"SELECT CAST(value AS {target}) FROM (SELECT {specimen(source)} AS value)")
    except Fault as fault:
        return not fault.message.startswith("Unimplemented type for cast")
    return True


@functools.lru_cache(maxsize=512)
def spells(text: str, type_: str) -> bool:
    """Whether a text can be read as a value of a type."""
    literal = exp.Literal.string(text).sql(DIALECT)
    ((readable,),) = engine.rows(f"SELECT TRY_CAST({literal} AS {type_}) IS NOT NULL")
    return bool(readable)
