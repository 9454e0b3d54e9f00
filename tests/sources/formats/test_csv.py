"""CSV against a reference that reads one character at a time and casts one value at a time."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.catalog import Stream
from windrow.schema import Schema
from windrow.sources.formats.base import Decoded, HeaderRefused
from windrow.sources.formats.csv import CsvDecoder, CsvOptions

Cast = Callable[[str, str], object]

SCHEMA = Schema.of(("item", "INTEGER"), ("name", "VARCHAR"), ("price", "FLOAT"))
STREAM = Stream("bids", SCHEMA)
DECODER = CsvDecoder(STREAM, CsvOptions())


class Bad(Exception):
    pass


def reference_fields(line: str) -> list[str | None]:
    if "\r" in line:
        raise Bad
    fields: list[str | None] = []
    rest = line
    while True:
        if rest.startswith('"'):
            text, at = "", 1
            while True:
                end = rest.find('"', at)
                if end < 0:
                    raise Bad
                text += rest[at:end]
                at = end + 2
                if rest[end + 1 : end + 2] != '"':
                    break
                text += '"'
            rest, field = rest[end + 1 :], text
            if rest and not rest.startswith(","):
                raise Bad
            fields.append(field)
        else:
            end = rest.find(",") if "," in rest else len(rest)
            fields.append(rest[:end] or None)
            rest = rest[end:]
        if not rest:
            return fields
        rest = rest[1:]


def reference_row(line: bytes, try_cast: Cast) -> tuple[object, ...]:
    try:
        fields = reference_fields(line.decode())
    except UnicodeDecodeError as error:
        raise Bad from error
    if len(fields) != len(SCHEMA):
        raise Bad
    values = []
    for text, field in zip(fields, SCHEMA, strict=True):
        value = None if text is None else try_cast(text, field.type)
        if text is not None and value is None:
            raise Bad
        values.append(value)
    return tuple(values)


def reference(block: bytes, try_cast: Cast) -> tuple[list[tuple[object, ...]], list[str]]:
    rows, rejected = [], []
    for line in block.split(b"\n"):
        line = line.removesuffix(b"\r")
        if not line:
            continue
        try:
            rows.append(reference_row(line, try_cast))
        except Bad:
            rejected.append(line.decode("utf-8", "replace")[:200])
    return rows, rejected


def decoded(block: bytes, decoder: CsvDecoder = DECODER, first: bytes = b"") -> Decoded:
    return decoder.decode(block, decoder.layout(first))


def rows_of(result: Decoded) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in result.rows.to_pylist()]


NUMBER = st.integers(-99, 10**10).map(str)
WORD = st.text("abé ß\u2028\0", max_size=5)
QUOTED = st.text('a,"b', max_size=5).map(lambda text: '"' + text.replace('"', '""') + '"')
GOOD_LINE = st.tuples(NUMBER, WORD | QUOTED, st.sampled_from(["", "1.5", "-2", '"3"', "1e3"])).map(",".join)
CORRUPTION = st.sampled_from([b"\xff", b'"', b",", b"\r", b"x", b"", b"\n", b"\r\n"])


@st.composite
def corrupted(draw: st.DrawFn) -> bytes:
    line = draw(GOOD_LINE).encode()
    if draw(st.booleans()):
        return line
    place = draw(st.integers(0, len(line)))
    return line[:place] + draw(CORRUPTION) + line[place + draw(st.integers(0, 1)) :]


NOISE = st.lists(st.sampled_from([b"1", b"a", b",", b'"', b"\n", b"\r", b"\xc3", b"\xa9", b" "])).map(
    b"".join
)


@settings(deadline=None, max_examples=200)
@given(block=st.lists(corrupted(), max_size=12).map(b"\n".join) | NOISE)
def test_decoding_equals_the_reference(block: bytes, try_cast: Cast) -> None:
    result = decoded(block)
    rows, rejected = reference(block, try_cast)
    assert rows_of(result) == rows
    assert sorted(text for text, _ in result.rejected) == sorted(rejected)
    assert result.rows.schema == STREAM.arriving.arrow


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1,a,abc", "column price: 'abc' is not FLOAT"),
        ("x,a,abc", "column item: 'x' is not INTEGER"),
        ('"",a,1', "column item: '' is not INTEGER"),
        ("99999999999,a,1", "column item: '99999999999' is not INTEGER"),
        ("1,a", "2 fields for 3 columns"),
        ("1", "1 field for 3 columns"),
        ("1,a,2,", "4 fields for 3 columns"),
        ('1,"a,2', "a quote stays open, or text follows a closing quote"),
        ('1,"a"b,2', "a quote stays open, or text follows a closing quote"),
        ("1,a\rb,2", "there is a carriage return within the line"),
    ],
)
def test_a_bad_line_is_rejected_with_its_reason_among_good_ones(line: str, reason: str) -> None:
    result = decoded(f"1,a,1\n{line}\n2,b,2\n".encode())
    assert result.rejected == [(line, reason)]
    assert rows_of(result) == [(1, "a", 1.0), (2, "b", 2.0)]


def test_long_input_and_long_values_are_cut() -> None:
    ((text, reason),) = decoded(b"1,a," + b"z" * 5000).rejected
    assert text == "1,a," + "z" * 196
    assert reason == f"column price: '{'z' * 100}…' is not FLOAT"


def test_an_empty_field_is_null_and_a_quoted_one_is_empty() -> None:
    assert rows_of(decoded(b',"",\n1,,2')) == [(None, "", None), (1, None, 2.0)]


def test_a_null_text_is_null_unless_quoted() -> None:
    decoder = CsvDecoder(STREAM, CsvOptions(null="NA"))
    assert rows_of(decoded(b'NA,"NA",NA\n,NA,', decoder)) == [(None, "NA", None), (None, None, None)]


def test_delimiter_and_quote_can_be_chosen() -> None:
    decoder = CsvDecoder(STREAM, CsvOptions(delimiter="|", quote="'"))
    assert rows_of(decoded(b"1|'a|''b'|2\n3|\"c|4", decoder)) == [(1, "a|'b", 2.0), (3, '"c', 4.0)]


def test_without_a_quote_every_character_is_data() -> None:
    decoder = CsvDecoder(STREAM, CsvOptions(quote=None, delimiter="\t"))
    assert rows_of(decoded(b'1\t"a\t2\n', decoder)) == [(1, '"a', 2.0)]
    assert decoder.layout(b'item\t"name\tprice').header is False


def test_a_pattern_character_can_delimit() -> None:
    decoder = CsvDecoder(STREAM, CsvOptions(delimiter="^", quote="\\"))
    assert rows_of(decoded(b"1^\\a^\\\\b\\^2\n3^c^4\n5^\\d^6\n", decoder)) == [
        (1, "a^\\b", 2.0),
        (3, "c", 4.0),
    ]


class TestHeader:
    def test_auto_takes_a_line_that_names_all_columns(self) -> None:
        layout = DECODER.layout(b"PRICE, item ,zzz,Name")
        assert (layout.header, layout.columns) == (True, ("price", "item", None, "name"))
        result = DECODER.decode(b"1.5,7,passed over,x\n1,2,3\n", layout)
        assert rows_of(result) == [(7, "x", 1.5)]
        assert result.rejected == [("1,2,3", "3 fields for 4 columns")]

    @pytest.mark.parametrize("first", [b"1,a,2", b"item,name", b"", b'"', b"\xff"])
    def test_auto_takes_any_other_line_as_a_row(self, first: bytes) -> None:
        assert DECODER.layout(first).header is False

    def test_false_takes_names_as_a_row(self) -> None:
        assert CsvDecoder(STREAM, CsvOptions(header=False)).layout(b"item,name,price").header is False

    @pytest.mark.parametrize(
        ("first", "why"),
        [
            (b"item,name", "the header does not name column price"),
            (b"a,b,c", "the header does not name column item, name, price"),
            (b"item,name,price,ITEM", "the header names column item twice"),
        ],
    )
    def test_true_refuses_a_header_that_does_not_fit(self, first: bytes, why: str) -> None:
        with pytest.raises(HeaderRefused, match=why):
            CsvDecoder(STREAM, CsvOptions(header=True)).layout(first)


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("BOOLEAN", "t"),
        ("DECIMAL(9,2)", "1.005"),
        ("DATE", "2024-02-29"),
        ("TIMESTAMP", "2024-01-01 10:00:00+02"),
        ("TIMESTAMP", "infinity"),
        ("TIME", "10:00"),
        ("INTEGER", " 1.5 "),
        ("HUGEINT", "170141183460469231731"),
        ("BLOB", "ab"),
        ("UUID", "00000000-0000-0000-0000-000000000001"),
        ("INTEGER[]", "[1, 2]"),
        ("DOUBLE", "-1e400"),
    ],
)
def test_types_are_cast_as_duckdb_casts_them(type_: str, text: str) -> None:
    stream = Stream("s", Schema.of(("value", type_)))
    result = decoded(f'"{text}"\n'.encode(), CsvDecoder(stream, CsvOptions()))
    with duckdb.connect() as connection:
        expected = connection.sql(f"SELECT TRY_CAST('{text}' AS {type_}) AS value").to_arrow_table()
    assert result.rows.schema == stream.arriving.arrow
    assert len(result.rejected) == expected["value"].null_count
    assert result.rows.equals(expected.drop_null())


def test_all_lines_bad_in_every_way_are_all_rejected() -> None:
    kinds = [b"x,a,1", b"1,a", b'1,"a,1', b"1,\xff,1"]
    result = decoded(b"\n".join(kinds * 5000))
    assert len(result.rows) == 0
    assert len(result.rejected) == 20_000
