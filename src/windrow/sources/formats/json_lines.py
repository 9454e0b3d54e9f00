"""JSON lines: each line an object, its values cast to the columns that its keys name.

A column whose key is missing, or whose value is null, is NULL; keys that name no column are passed
over. A key names a column whatever its case; the column's own spelling wins over others.
"""

from __future__ import annotations

from typing import cast

import pyarrow as pa
import pyarrow.compute as pc

from windrow.catalog import Stream
from windrow.sources.formats.base import Decoded, Decoder, Layout, shown
from windrow.sources.formats.cast import Caster, connected, quoted
from windrow.sources.formats.lines import cleaned, line_array

_REASONS = {0: "the line is not valid JSON", 1: "the line is not a JSON object"}
_NESTED = "CASE WHEN kind = 2 THEN NULLIF(CAST(json_extract(line, {path}) AS VARCHAR), 'null') END"


class JsonDecoder(Decoder):
    """DuckDB takes the values out as text and casts them as it casts any text."""

    def __init__(self, stream: Stream) -> None:
        self._schema = stream.arriving
        nested = [field.name for field in self._schema if _is_nested(field.type)]
        self._nested = frozenset(nested)
        self._caster = Caster(self._schema, from_json=nested)
        self._connection = connected()

    def layout(self, first_line: bytes) -> Layout:
        return Layout()

    def decode(self, block: bytes, layout: Layout) -> Decoded:
        block, rejected = cleaned(block)
        if not block:
            return Decoded(self._schema.arrow.empty_table(), rejected)
        lines = pa.table({"line": line_array(block)})
        found = self._extract(lines, {name: [name] for name in self._schema.names})
        objects = pc.equal(found["kind"], pa.scalar(2, pa.int32()))
        bad = pc.invert(objects)
        if pc.any(bad).as_py():
            kinds = cast(list[int], found["kind"].filter(bad).to_pylist())
            reasons = [_REASONS[kind] for kind in kinds]
            rejected += zip(_inputs(lines.filter(bad)), reasons, strict=True)
            lines, found = lines.filter(objects), found.filter(objects)
        found = self._in_other_spellings(lines, found)
        result = self._caster.cast(found)
        if result.failed:
            rejected += zip(_inputs(lines.take(result.failed)), result.reasons, strict=True)
        return Decoded(result.rows, rejected)

    def _extract(self, lines: pa.Table, keys: dict[str, list[str]]) -> pa.Table:
        """For each column the value of the first of its keys that has one, as text."""
        scalars = [key for name, tried in keys.items() if name not in self._nested for key in tried]
        columns = [f"{self._value(name, tried, scalars)} AS {quoted(name)}" for name, tried in keys.items()]
        paths = ", ".join(_path(key) for key in scalars)
        return self._ask(
            f"""
            SELECT kind, {", ".join(columns)} FROM (
              SELECT line, kind, CASE WHEN kind = 2 THEN json_extract_string(line, [{paths}]) END AS text
              FROM (SELECT line, CASE WHEN NOT json_valid(line) THEN 0
                                      WHEN json_type(line) <> 'OBJECT' THEN 1 ELSE 2 END AS kind
                    FROM given))
            """,
            lines,
        )

    def _value(self, name: str, keys: list[str], scalars: list[str]) -> str:
        if name in self._nested:
            tried = [_NESTED.format(path=_path(key)) for key in keys]
        else:
            tried = [f"text[{scalars.index(key) + 1}]" for key in keys]
        return f"COALESCE({', '.join(tried)})"

    def _in_other_spellings(self, lines: pa.Table, found: pa.Table) -> pa.Table:
        """Where values are missing, looks whether the keys are there in another case."""
        if not any(found[name].null_count for name in self._schema.names):
            return found
        spellings = self._spellings(lines)
        if all(len(keys) == 1 for keys in spellings.values()):
            return found
        return self._extract(lines, spellings)

    def _spellings(self, lines: pa.Table) -> dict[str, list[str]]:
        asked = "SELECT DISTINCT unnest(json_keys(line)) AS key FROM given ORDER BY key"
        keys: dict[str, list[str]] = {name: [name] for name in self._schema.names}
        for key in cast(list[str], self._ask(asked, lines)["key"].to_pylist()):
            column = self._schema.find(key)
            if column and key not in keys[column.name]:
                keys[column.name].append(key)
        return keys

    def _ask(self, query: str, lines: pa.Table) -> pa.Table:
        self._connection.register("given", lines)
        try:
            result: pa.Table = self._connection.sql(query).to_arrow_table()
            return result
        finally:
            self._connection.unregister("given")


def _inputs(lines: pa.Table) -> list[str]:
    texts = cast(list[str], lines["line"].to_pylist())
    return [shown(text.rstrip("\n")) for text in texts]


def _path(key: str) -> str:
    """A JSON pointer, as an SQL string."""
    pointer = key.replace("~", "~0").replace("/", "~1").replace("'", "''")
    return f"'/{pointer}'"


def _is_nested(type_: str) -> bool:
    """Types whose values JSON writes as more than a scalar, so that text would lose their form."""
    upper = type_.upper()
    return upper.endswith("]") or upper.startswith(("STRUCT", "MAP", "UNION", "JSON"))
