"""DuckDB as the judge of syntax and the giver of types."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from windrow.catalog import Catalog
from windrow.language import engine
from windrow.language.binder import bind
from windrow.language.engine import Fault
from windrow.language.parser import parse_query


def test_syntax_faults_have_a_place() -> None:
    fault = engine.syntax_fault("SELECT 'é' x y z")
    assert fault is not None
    assert (fault.kind, fault.position) == ("Parser", len("SELECT 'é' x ".encode()))
    assert engine.syntax_fault("SELECT a FROM s") is None


@pytest.mark.parametrize("text", ["SELECT 1; SELECT 2", "CREATE TABLE x (a INT)", "ATTACH 'x'"])
def test_only_one_query_passes(text: str) -> None:
    fault = engine.syntax_fault(text)
    assert fault is not None
    assert fault.message == "this is not a query"


def test_faults_are_data_on_every_way() -> None:
    for ask in (engine.describe, engine.rows, engine.evaluate):
        with pytest.raises(Fault) as caught:
            ask("SELECT lowr('x')")
        assert (caught.value.kind, caught.value.subtype, caught.value.name) == (
            "Catalog",
            "MISSING_ENTRY",
            "lowr",
        )


def test_files_are_out_of_reach() -> None:
    with pytest.raises(Fault) as caught:
        engine.evaluate(f"SELECT * FROM read_text('{__file__}')")
    assert caught.value.kind == "Permission"


def test_many_threads_bind_at_once(catalog: Catalog) -> None:
    def types(number: int) -> list[str]:
        node = bind(
            parse_query(f"SELECT price + {number} AS a, CAST(itemID AS BIGINT) AS b FROM Bid"), catalog
        )
        return [field.type for field in node.schema]

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(types, range(64))) == [["FLOAT", "BIGINT"]] * 64
