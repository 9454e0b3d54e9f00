"""Statements carried out: what each says, gives and refuses."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

import windrow
from tests.conftest import Connect, HandMovedWall
from windrow.errors import CheckpointError, Refused, SettingError, StatementError, UnknownName

BID = "CREATE STREAM Bid (item INT, price REAL, seen TIMESTAMP) ORDER BY seen"
DEAR = "CREATE STREAM Dear AS SELECT item FROM Bid WHERE price > 10"


@pytest.fixture
def bids(db: windrow.Database) -> windrow.Database:
    db.execute(f"{BID}; {DEAR}")
    return db


def messages(db: windrow.Database, sql: str) -> list[str | None]:
    return [outcome.message for outcome in db.execute(sql)]


def shown(db: windrow.Database, sql: str) -> list[dict[str, object]]:
    (outcome,) = db.execute(sql)
    assert outcome.table is not None
    rows: list[dict[str, object]] = outcome.table.to_pylist()
    return rows


def test_statements_are_carried_out_in_order(db: windrow.Database) -> None:
    script = f"""
        {BID};
        {DEAR};
        CREATE QUERY dear AS SELECT item FROM Dear;
        INSERT INTO Bid VALUES (1, 20, '2026-01-01'), (2, 5, NULL);
        INSERT INTO Bid (seen, item) VALUES ('2026-01-02', 3);
        INSERT INTO 'memory:' SELECT item FROM Bid;
        SET batch_rows = 10;
        DROP QUERY dear; DROP STREAM Dear;
    """
    assert messages(db, script) == [
        "stream Bid created",
        "stream Dear created",
        "query dear created",
        "2 tuples inserted",
        "1 tuple inserted",
        "query q1 writes to memory:",
        "batch_rows = 10",
        "query dear dropped",
        "stream Dear dropped",
    ]


def test_each_outcome_has_the_text_of_its_statement(db: windrow.Database) -> None:
    assert [outcome.text for outcome in db.execute(f" {BID} ;; SHOW STREAMS;")] == [BID, "SHOW STREAMS"]
    assert db.execute("") == []


def test_a_bare_select_is_a_query_in_memory(bids: windrow.Database) -> None:
    (outcome,) = bids.execute("SELECT item FROM Dear")
    assert outcome.query
    assert (outcome.message, outcome.query.name, outcome.query.sink) == (None, "q1", "memory:")


def test_a_text_that_does_not_parse_does_nothing(db: windrow.Database) -> None:
    with pytest.raises(StatementError):
        db.execute(f"{BID}; SELEC item FROM Bid")
    assert db.catalog.streams == {}


def test_a_mistake_stops_a_script_where_it_is_told(db: windrow.Database) -> None:
    with pytest.raises(UnknownName) as refused:
        db.execute(f"{BID};\nSELECT item\nFROM Bit;\nDROP STREAM Bid")
    assert (refused.value.line, refused.value.column) == (3, 6)
    assert refused.value.hint == "did you mean Bid?"
    assert list(db.catalog.streams) == ["bid"]


def test_what_is_there_already_can_be_passed_over(bids: windrow.Database) -> None:
    bids.execute("CREATE QUERY Latest AS SELECT item FROM Bid")
    assert messages(
        bids,
        """
        CREATE STREAM IF NOT EXISTS bid (other INT);
        CREATE QUERY IF NOT EXISTS latest AS SELECT price FROM Bid;
        DROP STREAM IF EXISTS Gone;
        DROP QUERY IF EXISTS Gone;
        """,
    ) == [
        "stream bid is there already",
        "query latest is there already",
        "there is no stream Gone",
        "there is no query Gone",
    ]


@pytest.mark.parametrize(
    ("sql", "message", "hint"),
    [
        ("DROP STREAM Bids", "there is no stream 'Bids'", "did you mean Bid?"),
        ("DROP QUERY lates", "there is no query 'lates'", "did you mean Latest?"),
        ("DROP QUERY x", "there is no query 'x'", "queries are: Latest"),
        ("DESCRIBE Bids", "there is no stream, table, query or aggregate Bids", "did you mean Bid?"),
    ],
)
def test_names_that_are_not_there(bids: windrow.Database, sql: str, message: str, hint: str) -> None:
    bids.execute("CREATE QUERY Latest AS SELECT item FROM Bid")
    with pytest.raises(UnknownName) as refused:
        bids.execute(sql)
    assert (refused.value.message, refused.value.hint) == (message, hint)


@pytest.mark.parametrize(
    ("query", "users"),
    [
        ("CREATE QUERY latest AS SELECT item FROM Bid", "Dear, latest"),
        ("SELECT item FROM bid.late", "Dear, q1"),
        ("INSERT INTO 'memory:' SELECT item FROM Dear UNION ALL SELECT item FROM Bid", "Dear, q1"),
        ("SHOW STREAMS", "Dear"),
    ],
)
def test_a_stream_in_use_is_not_dropped(bids: windrow.Database, query: str, users: str) -> None:
    bids.execute(query)
    with pytest.raises(Refused) as refused:
        bids.execute("DROP STREAM Bid")
    assert refused.value.message == f"Bid is in use by {users}"
    assert refused.value.hint == "drop what uses it first"


def test_dropping_frees_the_name_and_forgets_the_tuples(bids: windrow.Database) -> None:
    bids.push("Bid", [(1, 20.0, 1)])
    bids.execute("DROP STREAM dear; DROP STREAM BID")
    bids.execute(f"{BID}; SELECT item FROM Bid")
    bids.run_until_idle()
    assert bids.queries["q1"].answer().num_rows == 0


def test_streams_are_shown_with_their_counts(bids: windrow.Database) -> None:
    bids.execute("CREATE STREAM Tick (value BIGINT, moment TIMESTAMP) SOURCE 'rate://5'")
    bids.push("Bid", [(1, 20.0, 5_000_000), (2, 5.0, 1), (3, 5.0, None)])
    assert shown(bids, "SHOW STREAMS") == [
        {
            "stream": "Bid",
            "kind": "external",
            "source": None,
            "accepted": 1,
            "late": 1,
            "rejected": 1,
            "clock": datetime(1970, 1, 1, 0, 0, 5),
        },
        {name: {"stream": "Dear", "kind": "derived"}.get(name) for name in _STREAM_COLUMNS},
        {
            "stream": "Tick",
            "kind": "latent",
            "source": "rate://5",
            "accepted": 0,
            "late": 0,
            "rejected": 0,
            "clock": None,
        },
    ]


_STREAM_COLUMNS = ("stream", "kind", "source", "accepted", "late", "rejected", "clock")


def test_queries_are_shown_with_what_came_of_them(bids: windrow.Database) -> None:
    bids.execute("SELECT\n  item\nFROM Dear; CREATE QUERY other AS SELECT price FROM Bid")
    bids.push("Bid", [(1, 20.0, 1_000_000), (2, 5.0, 2_000_000)])
    bids.run_until_idle()
    clock = datetime(1970, 1, 1, 0, 0, 2)
    assert shown(bids, "SHOW QUERIES") == [
        {"query": "q1", "sink": "memory:", "tuples_out": 1, "clock": clock, "sql": "SELECT item FROM Dear"},
        {
            "query": "other",
            "sink": "memory:",
            "tuples_out": 2,
            "clock": clock,
            "sql": "SELECT price FROM Bid",
        },
    ]


def test_an_empty_list_is_a_table_too(db: windrow.Database) -> None:
    assert shown(db, "SHOW STREAMS") == []
    assert shown(db, "SHOW QUERIES") == []


def test_an_ended_stream_shows_no_clock(bids: windrow.Database) -> None:
    bids.execute("CREATE STREAM Tick (value BIGINT, moment TIMESTAMP) SOURCE 'rate://1000000?limit=3'")
    bids.execute("SELECT value FROM Tick")
    bids.run_until_idle()
    tick = shown(bids, "SHOW STREAMS")[-1]
    assert (tick["accepted"], tick["clock"]) == (3, None)


def test_settings_are_shown_and_set(bids: windrow.Database) -> None:
    bids.execute("SET batch_rows = 5; SET IDLE_TIMEOUT = '2 minutes'; SET changelog = 'diff'")
    values = {row["setting"]: row["value"] for row in shown(bids, "SHOW SETTINGS")}
    assert (values["batch_rows"], values["idle_timeout"], values["changelog"]) == ("5", "2 minutes", "diff")
    assert bids.settings.number("idle_timeout") == 120_000_000
    query = bids.query("SELECT item FROM Bid")
    bids.push("Bid", [(1, 20.0, 1)])
    bids.run_until_idle()
    assert query.changes()["change"].to_pylist() == [1]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SET batchrows = 5", "there is no setting 'batchrows'"),
        ("SET batch_rows = 0", "batch_rows: '0' is not a whole number from 1"),
        ("SET changelog = 'rows'", "changelog: 'rows' is not one of op, diff, _change_type"),
    ],
)
def test_what_cannot_be_set_is_told(bids: windrow.Database, sql: str, message: str) -> None:
    with pytest.raises((SettingError, StatementError)) as refused:
        bids.execute(sql)
    assert refused.value.message == message


def test_a_setting_is_heeded_from_then_on(bids: windrow.Database, wall: HandMovedWall) -> None:
    bids.execute("CREATE STREAM Ask (item INT, seen TIMESTAMP) ORDER BY seen")
    query = bids.query("SELECT item FROM Bid UNION ALL SELECT item FROM Ask")
    bids.push("Bid", [(1, 20.0, 1)])
    wall.move(2_000_000)
    bids.run_until_idle()
    assert query.answer().num_rows == 0
    bids.execute("SET idle_timeout = '2 seconds'")
    bids.run_until_idle()
    assert query.answer().num_rows == 1


def test_streams_and_queries_are_described(bids: windrow.Database) -> None:
    bids.execute("CREATE QUERY latest AS SELECT item, price * 2 AS twice FROM Bid")
    assert shown(bids, "DESCRIBE bid") == [
        {"column": "item", "type": "INTEGER", "role": ""},
        {"column": "price", "type": "FLOAT", "role": ""},
        {"column": "seen", "type": "TIMESTAMP", "role": "timestamp"},
    ]
    assert shown(bids, "DESCRIBE Dear") == [{"column": "item", "type": "INTEGER", "role": ""}]
    assert shown(bids, "DESCRIBE Bid.rejected") == [
        {"column": "input", "type": "VARCHAR", "role": ""},
        {"column": "reason", "type": "VARCHAR", "role": ""},
    ]
    assert [row["column"] for row in shown(bids, "DESCRIBE LATEST")] == ["item", "twice"]


def test_plans_are_explained_and_nothing_runs(bids: windrow.Database) -> None:
    (text, dot) = messages(bids, "EXPLAIN SELECT item FROM Dear; EXPLAIN DOT SELECT item FROM Dear")
    assert text
    assert "Scan Bid" in text
    assert dot
    assert dot.startswith("digraph")
    assert bids.queries == {}


def test_values_that_do_not_fit_insert_nothing(bids: windrow.Database) -> None:
    with pytest.raises(StatementError) as refused:
        bids.execute("INSERT INTO Bid VALUES (1, 20, '2026-01-01'),\n  ('x', 1, '2026-01-01')")
    assert refused.value.line == 2
    assert bids.metrics().streams[0].accepted == 0


def test_a_query_may_write_to_files(bids: windrow.Database, tmp_path: Path) -> None:
    bids.execute(f"INSERT INTO 'file://{tmp_path}/out?format=json' SELECT item FROM Bid")
    bids.push("Bid", [(1, 20.0, 1)])
    bids.run_until_idle()
    (written,) = (tmp_path / "out").glob("*.json*")
    assert written.read_text() == '{"item":1}\n'


AVERAGE = """CREATE AGGREGATE average(x REAL) : REAL {
    TABLE s(t REAL, n INT);
    INITIALIZE: { INSERT INTO s VALUES (x, 1) }
    ITERATE: { UPDATE s SET t = t + x, n = n + 1 }
    TERMINATE: { INSERT INTO RETURN SELECT t / n FROM s }
}"""
RUNNING = """AGGREGATE running(x REAL) : (t REAL, n INT) {
    TABLE inwindow(v);
    INITIALIZE: ITERATE: { INSERT INTO RETURN SELECT average(v), count(*) FROM inwindow }
}"""


def test_aggregates_are_created_shown_and_dropped(db: windrow.Database) -> None:
    script = f"""
        {AVERAGE} {RUNNING} {AVERAGE.replace("AGGREGATE average", "AGGREGATE IF NOT EXISTS average")};
        {AVERAGE.replace("AGGREGATE", "WINDOW AGGREGATE")}
        DROP AGGREGATE running;
        DROP WINDOW AGGREGATE average;
        DROP AGGREGATE IF EXISTS running;
    """
    assert messages(db, script) == [
        "aggregate average created",
        "window aggregate running created",
        "aggregate average is there already",
        "window aggregate average created",
        "aggregate running dropped",
        "window aggregate average dropped",
        "there is no aggregate running",
    ]
    assert shown(db, "SHOW AGGREGATES") == [
        {
            "aggregate": "average",
            "kind": "base",
            "arguments": "x FLOAT",
            "returns": "FLOAT",
            "blocking": True,
        }
    ]


def test_an_aggregate_is_described(db: windrow.Database) -> None:
    db.execute(AVERAGE + RUNNING)
    assert shown(db, "DESCRIBE Running") == [
        {"column": "x", "type": "FLOAT", "role": "argument (window)"},
        {"column": "t", "type": "FLOAT", "role": "result (window)"},
        {"column": "n", "type": "INTEGER", "role": "result (window)"},
    ]


def test_an_aggregate_in_use_is_not_dropped(db: windrow.Database) -> None:
    db.execute(AVERAGE + RUNNING)
    with pytest.raises(Refused, match="average is in use by running") as refused:
        db.execute("DROP AGGREGATE average")
    assert refused.value.hint == "drop what uses it first"
    db.execute("DROP AGGREGATE running; DROP AGGREGATE average")
    with pytest.raises(UnknownName, match="there is no window aggregate 'average'"):
        db.execute("DROP WINDOW AGGREGATE average")


def test_aggregates_come_back_with_the_checkpoint(connect: Connect, tmp_path: Path) -> None:
    with connect(tmp_path) as db:
        db.execute(AVERAGE + RUNNING)
    with connect(tmp_path) as db:
        assert [row["aggregate"] for row in shown(db, "SHOW AGGREGATES")] == ["average", "running"]
        db.check_script(AVERAGE)
        db.execute(AVERAGE)
        with pytest.raises(CheckpointError, match="the checkpoint is of another script: there running is"):
            db.execute(RUNNING.replace("count(*)", "count(v)"))
        db.execute("DROP AGGREGATE running;" + RUNNING.replace("count(*)", "count(v)"))
    with connect(tmp_path) as db:
        db.check_script(f"DROP AGGREGATE average; {AVERAGE.replace('t / n', 'n')}")
        with pytest.raises(CheckpointError):
            db.check_script(AVERAGE.replace("t / n", "n"))


def test_python_is_refused_before_it_is_imported(connect: Connect, tmp_path: Path) -> None:
    (tmp_path / "noisy.py").write_text("raise SystemExit('imported')")
    db = connect(allow_python=False)
    with pytest.raises(Refused, match="f is written in Python, which nobody may bring here"):
        db.execute("CREATE AGGREGATE IF NOT EXISTS f(x INT) : INT LANGUAGE PYTHON AS 'noisy:Noisy'")
    assert not db.catalog.aggregates


@pytest.mark.parametrize(
    ("sql", "message", "under"),
    [
        ("CREATE STREAM X (a INT)\n SOURCE 'ftp://x'", "no source is called 'ftp' (ftp://x)", "'ftp://x'"),
        (
            "CREATE STREAM X (a INT) SOURCE 'rate://9?spead=2'",
            "rate://9?spead=2: no option 'spead'",
            "'rate://9?spead=2'",
        ),
        (
            "CREATE STREAM X (a INT);\nINSERT INTO 'frob:' SELECT a FROM X",
            "frob:: there is no sink 'frob:'",
            "'frob:'",
        ),
    ],
)
def test_a_uri_that_means_nothing_is_refused_where_it_stands(
    db: windrow.Database, sql: str, message: str, under: str
) -> None:
    with pytest.raises(Refused) as refused:
        db.execute(sql)
    span = refused.value.span
    assert (refused.value.message, under) == (message, span.text[span.column - 1 :][: span.length])
    assert refused.value.hint
    assert db.queries == {}
