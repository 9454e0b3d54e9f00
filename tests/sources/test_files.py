"""Directories of files: what is read, in what order, once each, and from where after a crash."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from windrow.catalog import Stream
from windrow.errors import Error, SourceError
from windrow.schema import Schema
from windrow.sources.files import FileSource
from windrow.uri import Uri

BIDS = Stream("bids", Schema.of(("item", "INTEGER"), ("name", "VARCHAR")))


class Place:
    """A directory, and what a source hands over of it."""

    def __init__(self, folder: Path, reading: Callable[..., Any], recorder: Callable[..., Any]) -> None:
        self.folder = folder
        self._reading = reading
        self._recorder = recorder
        self._clock = 1_700_000_000

    def put(self, name: str, text: str | bytes, *, at: int | None = None) -> Path:
        """A file that is newer than all before, unless it says when it was written."""
        self._clock += 1
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        hidden = path.with_name(f".{path.name}")
        hidden.write_bytes(text.encode() if isinstance(text, str) else text)
        os.utime(hidden, (at or self._clock, at or self._clock))
        return hidden.rename(path)

    def watch(
        self,
        uri: str = "?format=csv",
        position: Any = None,
        *,
        crash_after: int | None = None,
        **settings: Any,
    ) -> Any:
        text = uri if uri.startswith("file:") else f"file://{self.folder}{uri}"
        source = FileSource(Uri.parse(f"{text}{'&' if '?' in text else '?'}poll=0.01"), BIDS, **settings)
        return self._reading(source, self._recorder(BIDS, crash_after=crash_after), position)

    def read(self, uri: str = "?format=csv", position: Any = None, **settings: Any) -> Any:
        """All that is there now."""
        with self.watch(uri, position, **settings) as reading:
            reading.until(reading.source.idle)
        return reading.inlet


@pytest.fixture
def place(tmp_path: Path, reading: Callable[..., Any], recorder: Callable[..., Any]) -> Place:
    return Place(tmp_path, reading, recorder)


def items(inlet: Any) -> list[int]:
    values: list[int] = inlet.rows["item"].to_pylist()
    return values


def parquet(items: range | list[Any]) -> bytes:
    sink = pa.BufferOutputStream()
    rows = pa.table({"item": list(items), "name": pa.array(["x"] * len(items), pa.string())})
    pq.write_table(rows, sink, row_group_size=7)
    return sink.getvalue().to_pybytes()


def test_files_are_read_by_time_then_name(place: Place) -> None:
    place.put("z", "1,a\n")
    place.put("c", "3,a\n", at=1_800_000_000)
    place.put("b", "2,a\n", at=1_800_000_000)
    place.put("a", "0,a\n", at=1_600_000_000)
    assert items(place.read()) == [0, 1, 2, 3]


def test_hidden_names_and_directories_are_passed_over(place: Place) -> None:
    for name in (".a", "_a", "below/a"):
        place.put(name, "9,a\n")
    place.put("a", "1,a\n")
    inlet = place.read()
    assert (items(inlet), inlet.rejected) == ([1], [])


def test_new_files_are_picked_up_even_if_they_look_old(place: Place) -> None:
    place.put("b", "1,a\n")
    with place.watch() as reading:
        reading.until(lambda: items(reading.inlet) == [1])
        place.put("c", "2,a\n")
        reading.until(lambda: items(reading.inlet) == [1, 2])
        place.put("a", "3,a\n", at=1)
        reading.until(lambda: items(reading.inlet) == [1, 2, 3])
        reading.until(reading.source.idle)


@pytest.mark.parametrize("with_journal", [True, False], ids=["journal", "no journal"])
def test_a_restart_reads_only_what_is_new_even_if_it_looks_old(place: Place, with_journal: bool) -> None:
    settings = {"journal": place.folder / "_state" / "done"} if with_journal else {}
    place.put("b", "1,a\n")
    passing = place.put("c", "2,a\n")
    first = place.read(**settings)
    passing.unlink()
    place.put("a", "3,a\n", at=1)
    second = place.read(position=json.loads(json.dumps(first.position)), **settings)
    third = place.read(position=second.position, **settings)
    assert (items(first), items(second), items(third)) == ([1, 2], [3], [])


def test_with_a_journal_a_position_stays_small(place: Place) -> None:
    for number in range(300):
        place.put(f"a-file-with-a-long-name-{number}", f"{number},a\n")
    inlet = place.read(journal=place.folder / "_done")
    assert items(inlet) == list(range(300))
    assert len(json.dumps(inlet.position)) < 50


def test_small_files_are_handed_over_together(place: Place) -> None:
    for number in range(50):
        place.put(f"{number:02}", f"{number},a\n")
    assert len(place.read().tables) < 25


CONTENT = {
    "csv": lambda numbers: "".join(f'{n},"a,{n}"\r\n' for n in numbers) + "x,bad\n",
    "csv with header": lambda numbers: (
        "name,zzz,ITEM\n" + "".join(f"a{n},,{n}\n" for n in numbers) + "a,,x"
    ),
    "json": lambda numbers: "".join(f'{{"item": {n}}}\n' for n in numbers) + '{"item": "x"}\n',
    "parquet": lambda numbers: parquet([*map(str, numbers), "x"]),
}


@pytest.mark.parametrize("kind", CONTENT)
@pytest.mark.parametrize("with_journal", [True, False], ids=["journal", "no journal"])
def test_a_crash_at_any_hand_over_loses_and_doubles_nothing(
    place: Place, kind: str, with_journal: bool
) -> None:
    for number in range(3):
        place.put(f"{number}", CONTENT[kind](range(number * 20, number * 20 + 20)))
    settings: dict[str, Any] = {"journal": place.folder / "_done"} if with_journal else {}
    position, logged, rejected, crashes = None, [], [], 0
    while True:
        uri = f"?format={kind.split()[0]}"
        reading = place.watch(uri, position, crash_after=crashes % 3, piece_bytes=64, **settings)
        try:
            with reading:
                reading.until(reading.source.idle)
        except OSError:
            crashes += 1
        else:
            break
        finally:
            logged += items(reading.inlet)
            rejected += reading.inlet.rejected
            position = reading.inlet.position or position
    assert logged == list(range(60))
    assert len(rejected) == 3
    assert crashes > 5


def test_a_stop_within_a_file_goes_on_there(place: Place) -> None:
    place.put("a", "".join(f"{n},a\n" for n in range(1000)))
    with place.watch(piece_bytes=100) as reading:
        reading.inlet.door.clear()
        reading.until(reading.inlet.knocked.is_set)
        reading.inlet.stopping.set()
    first = reading.inlet
    assert 0 < len(first.rows) < 1000
    assert first.position["file"]["at"] > 0
    second = place.read(position=first.position)
    assert items(first) + items(second) == list(range(1000))


def test_a_last_line_needs_no_newline(place: Place) -> None:
    place.put("a", "1,a\n2,b")
    assert items(place.read()) == [1, 2]


def test_a_byte_order_mark_and_a_header_are_no_rows(place: Place) -> None:
    place.put("a", "\ufeffname,item\na,1\n")
    place.put("b", "2,a\n")
    inlet = place.read()
    assert (items(inlet), inlet.rejected) == ([1, 2], [])


def test_a_header_that_does_not_fit_rejects_the_file(place: Place) -> None:
    place.put("a", "item,nom\n" + "1,a\n" * 100)
    place.put("b", "item,name\n2,a\n")
    inlet = place.read("?format=csv&header=true", piece_bytes=10)
    assert items(inlet) == [2]
    assert inlet.rejected == [("item,nom", "the header does not name column name")]


def test_bad_lines_are_rejected_among_good_ones(place: Place) -> None:
    place.put("a", b"1,a\nx,b\n\xff,c\n" + b"y" * 5000 + b"\n2,d\n")
    inlet = place.read("?format=csv&max_line=1000", piece_bytes=100)
    assert items(inlet) == [1, 2]
    assert sorted(reason for _, reason in inlet.rejected) == [
        "column item: 'x' is not INTEGER",
        "the line is not valid UTF-8",
        "the line is too long: 5000 bytes, and at most 1000 are taken",
    ]


def test_bad_parquet_files_are_rejected_among_good_ones(place: Place) -> None:
    place.put("a", parquet([1]))
    place.put("b", b"not Parquet")
    place.put("c", b"")
    place.put("d", parquet([2])[:-20] + b"x" * 20)
    place.put("e", parquet([3]))
    inlet = place.read("?format=parquet")
    assert items(inlet) == [1, 3]
    assert [name for name, _ in inlet.rejected] == ["b", "c", "d"]


def test_a_name_that_is_not_utf8_is_read_and_rejected_like_others(place: Place) -> None:
    for number, start in enumerate((parquet([1]), b"not Parquet")):
        place.put(f"{number}\udcff", start)
    inlet = place.read("?format=parquet", journal=place.folder / "_done")
    assert items(inlet) == [1]
    assert [name for name, _ in inlet.rejected] == ["1\N{REPLACEMENT CHARACTER}"]
    assert items(place.read("?format=parquet", inlet.position, journal=place.folder / "_done")) == []


def test_a_file_that_cannot_be_read_is_rejected(place: Place) -> None:
    (place.folder / "a").symlink_to("/proc/self/mem")  # opens, and then gives an error, even to root
    ((name, reason),) = place.read().rejected
    assert (name, reason) == ("a", "the file cannot be read: Input/output error")


def test_a_file_that_vanishes_before_its_turn_is_rejected(place: Place) -> None:
    place.put("a", "1,a\n" * 100)
    doomed = place.put("b", "2,a\n")
    with place.watch(piece_bytes=10) as reading:
        reading.inlet.door.clear()
        reading.until(reading.inlet.knocked.is_set)
        doomed.unlink()
        reading.inlet.door.set()
        reading.until(reading.source.idle)
    assert items(reading.inlet) == [1] * 100
    assert reading.inlet.rejected == [("b", "the file vanished before it was read")]


@pytest.mark.parametrize(("change", "what"), [("unlink", "vanished"), ("append", "was changed")])
def test_a_file_that_is_not_what_it_was_is_not_read_on(place: Place, change: str, what: str) -> None:
    path = place.put("a", "1,a\n2,a\n")
    status = path.stat()
    begun = {"name": "a", "size": status.st_size, "modified": status.st_mtime_ns, "at": 4}
    if change == "unlink":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes() + b"3,a\n")
    inlet = place.read(position={"done": [], "file": begun})
    assert items(inlet) == []
    assert inlet.rejected == [("a", f"the file {what} after 4 bytes of it were read")]
    assert inlet.position == {"done": ["a"], "file": None}


def test_a_single_file_is_read_and_that_is_all(place: Place) -> None:
    path = place.put("a.csv", "1,a\n")
    with place.watch(f"file://{path}") as reading:
        reading.until(reading.ended)
    assert items(reading.inlet) == [1]


def test_a_glob_chooses_and_looks_below(place: Place) -> None:
    for number, name in enumerate(("a.csv", "b.txt", "x/c.csv", "x/_d.csv", "_y/e.csv")):
        place.put(name, f"{number},a\n")
    assert items(place.read(f"file://{place.folder}/*.csv")) == [0]
    assert items(place.read(f"file://{place.folder}/**/*.csv")) == [0, 2]


def test_a_path_may_hold_spaces_and_wildcards(place: Place) -> None:
    place.put("my [dir]/a", "1,a\n")
    assert items(place.read(f"file://{place.folder}/my%20[dir]?format=csv")) == [1]


def test_a_missing_directory_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="there is no file or directory") as raised:
        FileSource(Uri.parse(f"file://{tmp_path}/no/such?format=csv"), BIDS).open()
    assert f"{tmp_path} exists" in str(raised.value.hint)


def test_a_directory_that_goes_away_is_an_error(place: Place) -> None:
    place.put("below/a", "1,a\n").unlink()
    reading = place.watch(f"file://{place.folder}/below?format=csv")
    reading.source.open()
    (place.folder / "below").rename(place.folder / "elsewhere")
    with pytest.raises(SourceError, match="cannot list"):
        reading.source.run(reading.inlet, None, reading.inlet.stopping)


@pytest.mark.parametrize(
    "uri",
    [
        "file:///tmp",
        "file:",
        "file:///tmp?format=xml",
        "file:///tmp?format=csv&poll=0",
        "file:///tmp?format=csv&poll=soon",
        "file:///tmp?format=csv&colour=red",
    ],
)
def test_a_uri_that_cannot_be_is_refused_before_anything_opens(uri: str) -> None:
    with pytest.raises(Error):
        FileSource(Uri.parse(uri), BIDS)
