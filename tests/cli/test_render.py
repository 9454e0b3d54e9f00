"""Tables as text: what they look like, and what they never do to a terminal."""

from __future__ import annotations

import datetime
import io
from decimal import Decimal

import pyarrow as pa
import pytest
from rich.cells import cell_len
from rich.console import Console

from windrow.cli.render import MOST_ROWS, Grid, cells, fit, print_table

MORNING = datetime.datetime(2026, 3, 1, 10)
ITEMS = pa.table(
    {
        "id": pa.array([1, -22, None], pa.int32()),
        "price": pa.array([0.1, 1e6, None], pa.float32()),
        "at": pa.array([MORNING, None, MORNING.replace(microsecond=500_000)], pa.timestamp("us")),
        "note": ["naïve", "日本語", None],
    }
)


def drawn(table: pa.Table, width: int | None = None) -> str:
    """What print_table writes: into a file, or on a terminal that is so wide."""
    file = io.StringIO()
    print_table(
        Console(file=file, force_terminal=width is not None, width=width, height=50, color_system=None),
        table,
    )
    return file.getvalue()


def test_numbers_stand_at_the_right_and_text_at_the_left() -> None:
    assert drawn(ITEMS) == (
        "  id │     price │ at                    │ note\n"
        "─────┼───────────┼───────────────────────┼───────\n"
        "   1 │       0.1 │ 2026-03-01 10:00:00   │ naïve\n"
        " -22 │ 1000000.0 │ NULL                  │ 日本語\n"
        "NULL │      NULL │ 2026-03-01 10:00:00.5 │ NULL\n"
        "3 rows\n"
    )


def test_a_table_without_rows_has_its_header() -> None:
    assert drawn(ITEMS.slice(0, 0)) == "id │ price │ at │ note\n───┼───────┼────┼─────\n0 rows\n"


def test_one_row_is_counted_in_the_singular() -> None:
    assert drawn(ITEMS.slice(0, 1)).endswith("\n1 row\n")


@pytest.mark.parametrize("width", [5, 20, 37, 38, 39, 60, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    long = ITEMS.append_column("text", pa.array(["x" * 300, "日" * 300, "a\tb\n" * 90]))
    lines = drawn(long, width).splitlines()
    assert len(lines) == 6
    assert max(map(cell_len, lines)) <= width


def test_text_is_cut_before_numbers_are() -> None:
    table = pa.table({"name": ["a long name indeed"], "number": [123456789]})
    assert drawn(table, 20).splitlines()[2].rstrip() == "a long … │ 123456789"


def test_columns_without_room_are_named() -> None:
    table = pa.table({"first": [1234567890123], "second": [1234567890123], "third": [1]})
    lines = drawn(table, 42).splitlines()
    assert lines[0].rstrip() == "        first │        second │ third"
    lines = drawn(table, 34).splitlines()
    assert lines[0].rstrip() == "        first │        second"
    assert lines[-1] == "1 row; no room for third"


def test_control_characters_are_shown_and_not_obeyed() -> None:
    assert "a\\nb\\x1b[31mred\\x07" in drawn(pa.table({"text": ["a\nb\x1b[31mred\x07"]}))


def test_brackets_are_no_markup() -> None:
    assert "[bold]x[/bold]" in drawn(pa.table({"text": ["[bold]x[/bold]"]}), 80)


def test_every_type_has_a_text() -> None:
    table = pa.table(
        {
            "list": [[1, 2]],
            "struct": [{"a": 1}],
            "bytes": [b"\x00a"],
            "decimal": [Decimal("1.50")],
            "true": [True],
            "day": [datetime.date(2026, 3, 1)],
            "time": [datetime.time(10, 30)],
        }
    )
    row = ["[1, 2]", "{'a': 1}", "\\x00a", "1.50", "true", "2026-03-01", "10:30:00"]
    assert [column[0] for column in cells(table)] == row


def test_columns_of_the_same_name_are_both_shown() -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["ts", "ts"])
    assert drawn(table).splitlines()[2] == " 1 │  2"


def test_a_terminal_gets_no_more_rows_than_someone_reads() -> None:
    lines = drawn(pa.table({"n": range(MOST_ROWS + 1)}), 80).splitlines()
    assert len(lines) == MOST_ROWS + 3
    assert lines[-1] == f"1,001 rows; the first {MOST_ROWS:,} shown"


def test_a_file_gets_all_rows() -> None:
    assert len(drawn(pa.table({"n": range(5000)})).splitlines()) == 5003


def test_null_is_dim_and_the_text_null_is_not() -> None:
    table = pa.table({"text": [None, "NULL"]})
    columns = cells(table)
    text = Grid.fitting(table.schema, columns, 80).styled(columns)
    assert [(span.start, span.end) for span in text.spans if span.style == "dim"] == [(0, 4), (4, 5)]


@pytest.mark.parametrize(
    ("wanted", "whole", "width", "widths"),
    [
        ([3, 4], [False, False], 10, [3, 4]),
        ([30, 4], [False, False], 20, [13, 4]),
        ([30, 30], [False, False], 21, [9, 9]),
        ([30, 12], [False, True], 21, [6, 12]),
        ([30, 12], [False, True], 20, [20]),
        ([30, 12], [True, True], 20, [20]),
        ([], [], 20, []),
    ],
)
def test_widths_fit(wanted: list[int], whole: list[bool], width: int, widths: list[int]) -> None:
    assert fit(wanted, whole, width) == widths
