"""A log on disk: crashes, full disks, segments that come and go, readers in other processes."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.log.conftest import EXTERNAL, append_all, one, times, told
from windrow.errors import CheckpointError, SourceError
from windrow.log.file_log import FileLog, FileLogReader
from windrow.log.index import ENTRY
from windrow.log.stream_log import NOTHING, part_schemas

WRITER = [sys.executable, "-m", "tests.log.log_writer"]
ROOT = Path(__file__).parents[2]

Open = Callable[..., FileLog]


def reader(folder: Path) -> FileLogReader:
    return FileLogReader(folder, part_schemas(EXTERNAL))


def written(log: FileLog) -> None:
    """Two entries with positions."""
    with log.lock:
        log.append(*one(1, 10), {"line": 1})
        log.append(*one(2, 20), {"line": 2})
    log.close()


def test_a_log_goes_on_where_it_was_closed(file_log: Open) -> None:
    written(file_log())
    log = file_log()
    assert (told(log), log.position) == ([[1], [2]], {"line": 2})
    append_all(log, [one(3, 30)])
    assert told(log) == [[1], [2], [3]]
    assert log.index().entries["totals"][:, 0].tolist() == [1, 2, 3]


def sizes(folder: Path) -> tuple[int, int]:
    return tuple((folder / f"{0:020d}.{kind}").stat().st_size for kind in ("data", "index"))  # type: ignore[return-value]


def cut(folder: Path, kind: str, size: int) -> None:
    os.truncate(folder / f"{0:020d}.{kind}", size)


def test_an_entry_cut_anywhere_is_not_there_nor_is_its_position(file_log: Open, tmp_path: Path) -> None:
    """An entry is written to the data file first, then to the index: either may be torn."""
    folder = tmp_path / "log"
    log = file_log()
    with log.lock:
        log.append(*one(1, 10), {"line": 1})
        one_entry = sizes(folder)
        log.append(*one(2, 20), {"line": 2})
    log.close()
    two_entries = sizes(folder)
    shutil.copytree(folder, tmp_path / "kept")
    torn = [(data, one_entry[1]) for data in range(one_entry[0], two_entries[0] + 1)]
    torn += [(two_entries[0], index) for index in range(one_entry[1], two_entries[1])]
    for data, index in torn:
        shutil.rmtree(folder)
        shutil.copytree(tmp_path / "kept", folder)
        cut(folder, "data", data)
        cut(folder, "index", index)
        assert told(reader(folder)) == [[1]]
        reopened = file_log()
        assert (told(reopened), reopened.position) == ([[1]], {"line": 1})
        append_all(reopened, [one(3, 30)])
        assert told(reader(folder)) == [[1], [3]]
        reopened.close()


def test_a_first_entry_cut_anywhere_leaves_an_empty_log(file_log: Open, tmp_path: Path) -> None:
    log = file_log()
    with log.lock:
        log.append(*one(1, 10), {"line": 1})
    log.close()
    for index in range(ENTRY.itemsize):
        cut(tmp_path / "log", "index", index)
        reopened = file_log()
        assert (told(reopened), reopened.position) == ([], None)
        reopened.close()


def test_bytes_that_a_crash_left_behind_the_index_are_cut_away(file_log: Open, tmp_path: Path) -> None:
    written(file_log())
    index = tmp_path / "log" / f"{0:020d}.index"
    whole = index.read_bytes()
    for rest in (bytes(ENTRY.itemsize), b"\xff" * 500, whole[: ENTRY.itemsize - 1]):
        index.write_bytes(whole + rest)
        assert told(reader(tmp_path / "log")) == [[1], [2]]
        file_log().close()
        assert index.read_bytes() == whole


def test_data_that_the_index_names_and_is_gone_is_told(file_log: Open, tmp_path: Path) -> None:
    written(file_log())
    cut(tmp_path / "log", "data", 10)
    with pytest.raises(CheckpointError, match="is cut short"):
        file_log()
    with pytest.raises(CheckpointError, match="is cut short"):
        told(reader(tmp_path / "log"))
    (tmp_path / "log" / f"{0:020d}.data").unlink()
    with pytest.raises(CheckpointError, match="cannot be read: No such file"):
        told(reader(tmp_path / "log"))


def test_data_that_no_index_names_is_removed(file_log: Open, tmp_path: Path) -> None:
    written(file_log())
    orphan = tmp_path / "log" / f"{2:020d}.data"
    orphan.write_bytes(b"torn")
    log = file_log()
    assert not orphan.exists()
    assert told(log) == [[1], [2]]


def test_segments_roll_and_are_dropped_whole(file_log: Open, tmp_path: Path) -> None:
    log = file_log(segment_bytes=1)  # every entry its own
    append_all(log, [one(number, number) for number in range(6)])
    assert len(list((tmp_path / "log").iterdir())) == 12
    log.drop_before(4)
    assert log.index().first == 3
    assert told(log) == told(reader(tmp_path / "log")) == [[3], [4], [5]]
    log.drop_before(100)
    assert told(log) == [[5]]
    assert len(list((tmp_path / "log").iterdir())) == 2


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_folding_is_done_or_was_never_begun(file_log: Open, tmp_path: Path) -> None:
    """A new segment's data is written, then its index under another name; when that has its name, the
    folded segments go."""
    folder = tmp_path / "log"
    log = file_log(segment_bytes=600)
    append_all(log, [one(number, number) for number in range(6)])
    before = contents(folder)
    assert len(before) > 2
    with log.lock:
        log.fold(5, *one(9, 9))
    log.close()
    data, index = (f"{4:020d}.{kind}" for kind in ("data", "index"))
    after = contents(folder)
    assert set(after) == {data, index}
    halfway = [{data: after[data][:length]} for length in (0, 10, len(after[data]))]
    halfway += [{data: after[data], "folding": after[index][:length]} for length in (10, len(after[index]))]
    never = [before | more for more in halfway]
    gone = sorted(before, key=lambda name: (name.endswith("data"), name))
    done = [after | {name: before[name] for name in gone[left:]} for left in range(len(gone) + 1)]
    expected = {False: [[number] for number in range(6)], True: [[9], [5]]}
    for is_folded, states in ((False, never), (True, done)):
        for state in states:
            shutil.rmtree(folder)
            folder.mkdir()
            for name, content in state.items():
                (folder / name).write_bytes(content)
            assert told(reader(folder)) == expected[is_folded]
            again = file_log()
            assert told(again) == expected[is_folded]
            assert set(contents(folder)) == set(after if is_folded else before)
            append_all(again, [one(6, 6)])
            assert told(reader(folder)) == [*expected[is_folded], [6]]
            again.close()


def test_a_reader_goes_over_to_what_was_folded(file_log: Open, tmp_path: Path) -> None:
    log = file_log()
    append_all(log, [one(number, number) for number in range(4)])
    looking = reader(tmp_path / "log")
    assert len(told(looking)) == 4
    with log.lock:
        log.fold(2, *one(9, 9))
    append_all(log, [one(4, 4)])
    assert told(looking) == [[9], [2], [3], [4]]


def test_what_cannot_be_folded_stays(file_log: Open, tmp_path: Path) -> None:
    log = file_log(segment_bytes=1)
    append_all(log, [one(number, number) for number in range(4)])
    with log.lock:
        log.fold(2, *one(9, 9))  # a segment begins there
    log.close()
    log = file_log()
    (tmp_path / "log" / "folding").mkdir()
    with log.lock:
        log.fold(4, *one(9, 9))  # something is in the way
    append_all(log, [one(4, 4)])
    assert told(log) == told(reader(tmp_path / "log")) == [[0], [1], [2], [3], [4]]


def test_a_log_that_is_folded_survives_kill_9(tmp_path: Path) -> None:
    """Each entry has one tuple, its position; and the one that takes the place of others has the last's."""
    (tmp_path / "log").mkdir()
    moments, known = random.Random(3), -1
    for _ in range(3):
        command = [*WRITER, str(tmp_path / "log"), "folding"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as writer:
            assert writer.stdout is not None
            for _ in range(moments.randrange(1, 300)):
                known = int(writer.stdout.readline())
            writer.kill()
        index = reader(tmp_path / "log").index()
        assert index.end > known
        assert len(index.entries) < 8
        assert told(reader(tmp_path / "log")) == [[number] for number in range(index.first, index.end)]


def test_what_was_dropped_is_let_go_of(file_log: Open, tmp_path: Path) -> None:
    log = file_log(segment_bytes=1)
    append_all(log, [one(number, number) for number in range(5)])
    assert told(log) == [[0], [1], [2], [3], [4]]
    log.drop_before(99)
    mapped = Path("/proc/self/maps").read_text()
    assert str(tmp_path) not in "".join(line for line in mapped.splitlines() if "(deleted)" in line)


def test_the_position_and_the_clock_outlive_the_segments_that_told_them(file_log: Open) -> None:
    log = file_log(segment_bytes=1)
    with log.lock:
        log.append(*one(1, 10), {"line": 1})
        for clock in range(20, 25):
            log.append(NOTHING, times(clock))
        log.drop_before(99)
    log.close()
    reopened = file_log()
    assert reopened.position == {"line": 1}
    assert reopened.index().first == 5
    assert reopened.index().entries["clock"].tolist() == [24]


def test_a_crash_right_after_rolling_leaves_a_log_that_goes_on(file_log: Open, tmp_path: Path) -> None:
    log = file_log(segment_bytes=1)
    append_all(log, [one(1, 10), one(2, 20)])
    log.close()
    for kind in ("data", "index"):
        os.truncate(tmp_path / "log" / f"{1:020d}.{kind}", 0)
    reopened = file_log(segment_bytes=1)
    assert told(reopened) == [[1]]
    append_all(reopened, [one(3, 30), one(4, 40)])
    assert told(reader(tmp_path / "log")) == [[1], [3], [4]]


def test_a_segment_that_cannot_be_made_stops_nothing_for_good(file_log: Open, tmp_path: Path) -> None:
    log = file_log(segment_bytes=1)
    append_all(log, [one(1, 10)])
    in_the_way = tmp_path / "log" / f"{1:020d}.data"
    in_the_way.mkdir()
    with pytest.raises(SourceError, match="cannot be written: Is a directory"):
        append_all(log, [one(2, 20)])
    in_the_way.rmdir()
    append_all(log, [one(2, 20)])
    assert told(log) == [[1], [2]]


def test_a_full_disk_is_told_and_forgotten_when_there_is_room(tmp_path: Path) -> None:
    limits = ["1500", "1501", "2047", "3000"]
    command = [*WRITER, str(tmp_path), "full", *limits]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT, check=True)
    for limit, line in zip(limits, ran.stdout.splitlines(), strict=True):
        count, _, message = line.partition(" ")
        assert message == f"the stream log {limit} cannot be written: File too large"
        expected = [*([number] for number in range(int(count))), [-1]]
        assert told(reader(tmp_path / limit)) == expected
        log = FileLog(tmp_path / limit, part_schemas(EXTERNAL))
        assert (told(log), log.position) == (expected, {"line": -1})
        log.close()


def test_a_reader_in_another_process_sees_whole_entries_in_order(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    with subprocess.Popen(
        [*WRITER, str(tmp_path / "log"), "steady"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as writer:
        looking = reader(tmp_path / "log")
        seen = 0
        while seen < 500:
            assert writer.poll() is None
            index = looking.index()
            assert index.end >= seen
            assert index.entries["max_ts"].tolist() == list(range(index.first, index.end))
            seen = index.end
        written_by_then, _ = writer.communicate("enough\n", timeout=30)
    assert looking.index().end == int(written_by_then)
    last = looking.index().entries[-1]
    assert last["clock"] == int(written_by_then) - 1


def test_opening_where_nothing_can_be_written_is_told(file_log: Open, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("in the way")
    with pytest.raises(CheckpointError, match="the stream log log cannot be opened: File exists"):
        file_log()
