"""Rows as JSON text, for people to read."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from windrow.expressions.engine import INPUT, ask


def json_rows(table: pa.Table) -> list[str]:
    """Each row as a JSON object."""
    if not len(table):
        return []
    answer = ask(f"SELECT CAST(to_json({INPUT}) AS VARCHAR) AS text FROM {INPUT}", table)
    texts: list[Any] = answer["text"].to_pylist()
    return texts
