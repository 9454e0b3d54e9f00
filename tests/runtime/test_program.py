"""Versions of a program: what is declared and running, as text that survives."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from windrow.catalog import Stream
from windrow.errors import CheckpointError
from windrow.runtime.program import Definition, Program, QueryText

BID = Definition("CREATE STREAM Bid (item INT, price REAL)", 1)
DEAR = Definition("CREATE STREAM Dear AS SELECT item FROM Bid WHERE price > 10", 2)


def query(name: str, born: int, sql: str = "SELECT item FROM Dear") -> QueryText:
    return QueryText(name, sql, "memory:", born)


@pytest.fixture
def program() -> Program:
    return Program().with_definition(BID).with_definition(DEAR).with_query(query("q1", 3))


def test_each_change_is_a_version(program: Program) -> None:
    assert program.version == 3
    assert program.without_query("q1").version == 4
    assert program.without_query("q1").queries == ()
    assert program.without_definition(DEAR.sql).definitions == (BID,)


def test_it_is_read_as_it_was_saved(program: Program, tmp_path: Path) -> None:
    program.save(tmp_path)
    assert Program.newest(tmp_path) == 3
    assert Program.load(tmp_path, 3) == program


def test_nothing_was_saved(tmp_path: Path) -> None:
    assert Program.newest(tmp_path / "nowhere") == 0
    assert Program.load(tmp_path / "nowhere", 0) == Program()


def test_older_versions_are_forgotten(program: Program, tmp_path: Path) -> None:
    for each in (program, program.without_query("q1")):
        each.save(tmp_path)
    Program.forget(tmp_path, before=4)
    assert [path.name for path in tmp_path.iterdir()] == ["00000004.json"]


def test_a_version_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"00000009\.json: .* cannot be read"):
        Program.load(tmp_path, 9)


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"version": 2}'])
def test_a_version_that_is_damaged_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / "00000002.json").write_text(content)
    with pytest.raises(CheckpointError) as refused:
        Program.load(tmp_path, 2)
    assert refused.value.message == "00000002.json: a file of the checkpoint is damaged"


def test_a_checkpoint_made_anew_in_the_same_place_is_read_anew(program: Program, tmp_path: Path) -> None:
    program.save(tmp_path)
    assert Program.load(tmp_path, 3) == program
    other = Program(2).with_definition(BID)
    other.save(tmp_path)
    assert Program.load(tmp_path, 3) == other


def test_a_stream_keeps_the_version_that_it_was_born_in(program: Program) -> None:
    assert list(program.streams_read()) == ["bid-1"]
    assert program.logs() == {"bid-1"}
    again = program.without_query("q1").without_definition(DEAR.sql).without_definition(BID.sql)
    again = again.with_definition(Definition(BID.sql, again.version + 1))
    assert again.logs() == {"bid-7"}


def test_queries_read_each_stream_once() -> None:
    sql = "SELECT item FROM Bid UNION ALL SELECT item FROM Dear UNION ALL SELECT item FROM Bid.late"
    program = Program().with_definition(BID).with_definition(DEAR).with_query(query("q", 3, sql))
    (compiled,) = program.compiled()
    assert [stream.name for stream in compiled.streams] == ["Bid", "Bid.late"]
    assert all(isinstance(stream, Stream) for stream in compiled.streams)
    assert list(program.streams_read()) == ["bid-1"]


def test_a_free_name_is_free_whatever_its_case(program: Program) -> None:
    assert program.free_name() == "q2"
    assert Program().with_query(query("Q1", 1)).free_name() == "q2"


def test_queries_that_go_on_are_not_planned_again(program: Program) -> None:
    (before,) = program.compiled()
    later = Definition("CREATE STREAM Ask (item INT)", 4)
    after, _ = program.with_definition(later).with_query(query("q2", 5)).compiled()
    assert after is before


def test_a_query_is_planned_by_what_was_declared_before_it() -> None:
    """As it was when it started, whatever has been declared since."""
    first = Program().with_definition(BID).with_query(query("q1", 2, "SELECT item FROM Bid"))
    later = first.with_definition(Definition("CREATE STREAM Ask (item INT)", 3))
    (fresh,) = Program(later.version, later.definitions, later.queries).compiled()
    assert fresh is first.compiled()[0]


def test_a_program_is_sent_as_text(program: Program) -> None:
    assert program.compiled()
    there = pickle.loads(pickle.dumps(program))
    assert there == program
    assert "_plans" not in vars(there)
