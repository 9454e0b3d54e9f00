"""`windrow explain`: plans of queries that never run."""

from __future__ import annotations

import json
from collections.abc import Callable

ONE = (
    "CREATE STREAM Bid (item INT, price REAL) SOURCE 'port1';\n"
    "INSERT INTO 'file:///nowhere/at/all' SELECT item FROM Bid WHERE price > 10;"
)
TWO = f"""{ONE}
CREATE STREAM Dear AS SELECT item FROM Bid WHERE price > 99;
SELECT item + 1 AS next FROM Dear;
"""


def test_a_plan_is_shown_and_nothing_is_opened(windrow: Callable) -> None:
    done = windrow("explain", "-", stdin=ONE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Scan" in done.stdout


def test_each_query_of_a_script_has_its_plan(windrow: Callable) -> None:
    done = windrow("explain", "-", stdin=TWO)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Scan") == 2
    assert "SELECT item + 1 AS next FROM Dear" in done.stdout


def test_json_is_an_array_with_a_plan_a_query(windrow: Callable) -> None:
    done = windrow("explain", "-", "--format", "json", stdin=TWO)
    assert len(json.loads(done.stdout)) == 2


def test_dot_is_a_graph_a_query(windrow: Callable) -> None:
    done = windrow("explain", "-", "--format", "dot", stdin=TWO)
    assert done.stdout.count("digraph") == 2


def test_a_mistake_is_told_with_its_place_in_the_script(windrow: Callable) -> None:
    done = windrow("explain", "-", stdin=f"{ONE}\nSELECT\n  itm FROM Bid;")
    assert done.returncode == 2
    assert "line 4, column 3" in done.stderr
    assert "did you mean item?" in done.stderr


def test_a_script_without_queries_is_refused(windrow: Callable) -> None:
    done = windrow("explain", "-", stdin="CREATE STREAM S (a INT);")
    assert done.returncode == 2
    assert "no query to explain" in done.stderr


def test_plans_know_the_scripts_aggregates_and_settings(windrow: Callable) -> None:
    script = """
        CREATE STREAM Bid (item INT, price REAL) SOURCE 'port1';
        CREATE AGGREGATE newest(price REAL) : REAL {
            TABLE state(price REAL);
            INITIALIZE: { INSERT INTO state VALUES (price) }
            ITERATE: { UPDATE state SET price = price }
            TERMINATE: { INSERT INTO RETURN SELECT price FROM state }
        };
        SELECT item, newest(price) AS last FROM Bid [RANGE 1 MINUTE] GROUP BY item;
        SET allow_unbounded = true;
        SELECT DISTINCT item FROM Bid;
    """
    done = windrow("explain", "-", stdin=script)
    assert (done.returncode, done.stderr) == (0, "")
    assert "newest(" in done.stdout
