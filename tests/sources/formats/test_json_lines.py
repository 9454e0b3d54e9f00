"""JSON lines against a reference that reads them with Python's own json."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.catalog import Stream
from windrow.schema import Schema
from windrow.sources.formats.base import Decoded, Layout
from windrow.sources.formats.json_lines import JsonDecoder

Cast = Callable[[str, str], object]
Row = dict[str, object]

SCHEMA = Schema.of(("item", "INTEGER"), ("Name", "VARCHAR"), ("sold", "BOOLEAN"))
DECODER = JsonDecoder(Stream("bids", SCHEMA))


def decoded(block: bytes, decoder: JsonDecoder = DECODER) -> Decoded:
    return decoder.decode(block, Layout())


def reference(line: bytes, try_cast: Cast) -> Row | None:
    try:
        given = json.loads(line.decode())
    except ValueError:
        return None
    if not isinstance(given, dict):
        return None
    row: Row = {}
    for field in SCHEMA:
        spellings = sorted(
            (key for key in given if key.lower() == field.name.lower()), key=lambda k: (k != field.name, k)
        )
        value = next((given[key] for key in spellings if given[key] is not None), None)
        text = value if isinstance(value, str) else json.dumps(value)
        row[field.name] = None if value is None else try_cast(text, field.type)
        if value is not None and row[field.name] is None:
            return None
    return row


VALUE = st.none() | st.booleans() | st.integers(-(2**33), 2**33) | st.text('a1 "\\\n{é\u2028', max_size=4)
KEY = st.sampled_from(["item", "ITEM", "Name", "name", "sold", "other", "a/b~", ""])
OBJECT = st.dictionaries(KEY, VALUE, max_size=6)


@st.composite
def json_line(draw: st.DrawFn) -> bytes:
    text = json.dumps(draw(OBJECT), ensure_ascii=draw(st.booleans())).encode()
    match draw(
        st.sampled_from(["good", "good", "good", "torn", "not an object", "invalid UTF-8", "spaces"])
    ):
        case "torn":
            return text[: draw(st.integers(1, len(text) - 1))]
        case "not an object":
            return draw(st.sampled_from([b"[1]", b"7", b'"text"', b"null", b"[{}]"]))
        case "invalid UTF-8":
            return text[:-1] + b"\xff}"
        case "spaces":
            return b"  " + text + b" \t"
    return text


@settings(deadline=None, max_examples=200)
@given(lines=st.lists(json_line(), max_size=10))
def test_decoding_equals_the_reference(lines: list[bytes], try_cast: Cast) -> None:
    result = decoded(b"\n".join(lines))
    expected = [reference(line, try_cast) for line in lines]
    assert result.rows.to_pylist() == [row for row in expected if row is not None]
    bad = [
        line.decode("utf-8", "replace") for line, row in zip(lines, expected, strict=True) if row is None
    ]
    assert sorted(text for text, _ in result.rejected) == sorted(bad)
    assert result.rows.schema == SCHEMA.arrow


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"item": 1', "the line is not valid JSON"),
        ("item", "the line is not valid JSON"),
        ("[1, 2]", "the line is not a JSON object"),
        ('{"item": "abc"}', "column item: 'abc' is not INTEGER"),
        ('{"item": {"a": 1}}', "column item: '{\"a\":1}' is not INTEGER"),
        (f'{{"item": "{"z" * 500}"}}', f"column item: '{'z' * 100}…' is not INTEGER"),
    ],
)
def test_a_bad_line_is_rejected_with_its_reason_among_good_ones(line: str, reason: str) -> None:
    result = decoded(f'{{"item":1}}\n{line}\n{{"item":2}}'.encode())
    assert result.rejected == [(line[:200], reason)]
    assert result.rows["item"].to_pylist() == [1, 2]


def test_a_missing_key_is_null_and_an_unknown_one_is_passed_over() -> None:
    assert decoded(b'{"zzz": [1], "item": null}').rows.to_pylist() == [
        {"item": None, "Name": None, "sold": None}
    ]


def test_a_key_names_its_column_whatever_its_case() -> None:
    rows = decoded(b'{"ITEM": 1, "name": "a"}\n{"Item": 2, "Name": "b", "NAME": "c"}').rows.to_pylist()
    assert [(row["item"], row["Name"]) for row in rows] == [(1, "a"), (2, "b")]


def test_nested_values_keep_their_form() -> None:
    columns = [("l", "INTEGER[]"), ("s", "STRUCT(a INTEGER, b VARCHAR)"), ("j", "JSON"), ("t", "VARCHAR")]
    decoder = JsonDecoder(Stream("s", Schema.of(*columns)))
    value = {"l": [1, 2], "s": {"a": 1, "b": 'it\'s "q"'}, "j": {"k": [None]}, "t": {"x": 1}}
    result = decoded(json.dumps(value).encode() + b'\n{"l": null, "j": "text"}\n{"l": "x"}', decoder)
    first, second = result.rows.to_pylist()
    assert (first["l"], first["s"]) == (value["l"], value["s"])
    assert (json.loads(first["j"]), json.loads(first["t"])) == (value["j"], value["t"])
    assert (second["l"], second["s"], second["j"]) == (None, None, '"text"')
    assert result.rejected == [('{"l": "x"}', "column l: '\"x\"' is not INTEGER[]")]


def test_a_column_name_may_hold_what_paths_and_sql_mean_something_by() -> None:
    decoder = JsonDecoder(Stream("s", Schema.of(("a/b~'\"c", "INTEGER"), ("*", "INTEGER"))))
    assert decoded(b'{"a/b~\'\\"c": 1, "*": 2}', decoder).rows.to_pylist() == [{"a/b~'\"c": 1, "*": 2}]


def test_nothing_gives_no_rows() -> None:
    assert decoded(b"\n\r\n").rows.num_rows == 0
