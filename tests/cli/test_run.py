"""`windrow run`, as a user meets it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

BIDS = (
    "CREATE STREAM Bid (itemID INT, price REAL, bid_time TIMESTAMP) ORDER BY bid_time "
    "SOURCE 'demo://auctions/bids?rate=1200&limit=3000&speed=max&start=2026-01-01T00:00:00';\n"
)
ENDLESS = BIDS.replace("&limit=3000&speed=max", "")


def script(folder: Path, text: str) -> str:
    path = folder / "script.esl"
    path.write_text(text)
    return str(path)


def test_a_bare_select_prints_its_changes_and_nothing_else_does(windrow: Callable, tmp_path: Path) -> None:
    path = script(tmp_path, f"{BIDS}SELECT itemID, price FROM Bid WHERE price > 2500;")
    done = windrow("run", path, "--runner", "inline", "--until-idle")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "stream Bid created"
    assert lines[1].split() == ["op", "│", "ts", "│", "itemID", "│", "price"]
    assert all(line.startswith("+I │ 2026-01-01 00:00:0") for line in lines[3:])
    assert len(lines) > 3
    assert "3,000 tuples in" in done.stderr


def test_the_summary_tells_of_streams_and_queries(windrow: Callable, tmp_path: Path) -> None:
    path = script(tmp_path, f"{BIDS}INSERT INTO 'file://{tmp_path}/out' SELECT itemID FROM Bid;")
    done = windrow("run", path, "--runner", "inline", "--until-idle")
    told = [line.split() for line in done.stderr.splitlines()]
    assert ["Bid", "│", "3000", "│", "0", "│", "0"] in told
    assert any(line[:3] == ["q1", "│", "3000"] for line in told)
    assert pq.read_table(tmp_path / "out").num_rows == 3000


def test_a_second_run_goes_on_where_the_first_ended(windrow: Callable, tmp_path: Path) -> None:
    path = script(tmp_path, f"{BIDS}INSERT INTO 'file://{tmp_path}/out' SELECT itemID FROM Bid;")
    for _ in range(2):
        done = windrow(
            "run", path, "--runner", "inline", "--until-idle", "--checkpoint", str(tmp_path / "kept")
        )
        assert done.returncode == 0, done.stderr
    assert pq.read_table(tmp_path / "out").num_rows == 3000


def test_an_end_in_time_is_a_good_end(windrow: Callable, tmp_path: Path) -> None:
    path = script(tmp_path, f"{ENDLESS}SELECT itemID FROM Bid;")
    done = windrow("run", path, "--runner", "inline", "--for", "4s")
    assert done.returncode == 0
    assert "+I" in done.stdout


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_it_in_order(terminal: Callable, tmp_path: Path, sent: int, code: int) -> None:
    path = script(tmp_path, f"{ENDLESS}SELECT itemID FROM Bid;")
    process = terminal("run", path, "--runner", "inline")
    process.expect("+I")
    process.process.send_signal(sent)
    process.expect("tuples in")
    assert process.wait() == code


def test_ctrl_c_ends_it_in_order(terminal: Callable, tmp_path: Path, home: Path) -> None:
    process = terminal("run", script(tmp_path, f"{ENDLESS}SELECT itemID FROM Bid;"), "--runner", "inline")
    process.expect("tuples/s")
    process.type("\x03")
    process.expect("tuples in")
    assert process.wait() == 130
    assert "Traceback" not in process.text
    assert list((home / "tmp").iterdir()) == []


def test_a_script_without_a_query_says_so(windrow: Callable, tmp_path: Path) -> None:
    done = windrow("run", script(tmp_path, BIDS), "--runner", "inline")
    assert done.returncode == 0
    assert "the script has no query" in done.stderr


def test_a_script_can_come_through_a_pipe(windrow: Callable) -> None:
    done = windrow("run", "-", "--runner", "inline", "--until-idle", stdin=f"{BIDS}SELECT price FROM Bid;")
    assert done.returncode == 0
    assert done.stdout.count("+I") == 3000


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SELEC 1;", ["line 1, column 1", "SELEC 1;", "^^^^^"]),
        (
            f"{BIDS}SELECT pryce FROM Bid;",
            ["line 2, column 8", "T pryce F", "^^^^^", "did you mean price?"],
        ),
        ("SELECT 1 FROM 'x", ["begins here and does not end"]),
        (f"{BIDS}SELECT * FROM Bids;", ["line 2, column 15", "did you mean Bid?"]),
        ("CREATE STREAM S (a INT) SOURCE 'demo://nowhere'; SELECT a FROM S;", ["demo://nowhere"]),
        ("SET bach_rows = 1;", ["did you mean batch_rows?"]),
    ],
)
def test_a_mistake_is_shown_where_it_is(
    windrow: Callable, tmp_path: Path, text: str, told: list[str]
) -> None:
    done = windrow("run", script(tmp_path, text), "--runner", "inline", "--for", "1s")
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert [part for part in told if part not in done.stderr] == []
    assert "Traceback" not in done.stderr


def test_whoever_stops_reading_ends_it_quietly(environment: dict[str, str], tmp_path: Path) -> None:
    path = script(tmp_path, f"{ENDLESS}SELECT itemID FROM Bid;")
    command = [sys.executable, "-c", "from windrow.cli.main import main; main()"]
    process = subprocess.Popen(
        [*command, "run", path, "--runner", "inline"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    killer = threading.Timer(60, process.kill)
    killer.start()
    assert process.stdout is not None
    assert process.stderr is not None
    os.read(process.stdout.fileno(), 100)
    process.stdout.close()
    errors = process.stderr.read().decode()
    assert process.wait() == 0
    killer.cancel()
    process.stderr.close()
    assert "error" not in errors
