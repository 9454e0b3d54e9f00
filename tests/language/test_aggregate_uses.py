"""Who calls an aggregate: those keep it from being dropped, and from being given another meaning."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests import esl
from windrow.catalog import Catalog
from windrow.errors import Refused
from windrow.language.aggregate_statements import CreateAggregate
from windrow.language.aggregate_uses import aggregates_calling, callers_of, check_unused
from windrow.language.parser import parse

QUERIES = {
    "q1": "SELECT AVG(price) OVER (ROWS 5 PRECEDING) FROM Bid",
    "q2": "SELECT avg_price, 'avg(x)' FROM (SELECT min(price) AS avg_price FROM Bid) AS x",
    "q3": "SELECT itemID FROM Bid GROUP BY itemID HAVING myavg(price) > 3",
}


def test_queries_call_functions_whatever_they_are(catalog: Catalog) -> None:
    assert callers_of("avg", catalog, QUERIES) == ("q1",)
    assert callers_of("MyAvg", catalog, QUERIES) == ("q3",)
    assert callers_of("max", catalog, QUERIES) == ()


def test_aggregates_call_what_was_there_when_they_were_created(
    run: Callable[[str], None], catalog: Catalog
) -> None:
    smooth = esl.NAIVE_AVG.replace("AGGREGATE avg", "AGGREGATE smooth")
    run(smooth)
    run(esl.AVG)
    assert aggregates_calling("avg", catalog) == ()
    run(smooth.replace("smooth", "smoother"))
    run(esl.NAIVE_AVG)
    assert aggregates_calling("avg", catalog) == ("smoother",)


def test_what_a_name_means_does_not_change_under_those_who_use_it(catalog: Catalog) -> None:
    (statement,) = parse(esl.AVG)
    assert isinstance(statement, CreateAggregate)
    check_unused(statement, catalog, {})
    with pytest.raises(Refused) as refused:
        check_unused(statement, catalog, QUERIES)
    assert refused.value.message == "avg has a meaning already for q1"
    assert refused.value.hint == "drop what uses it first, or give the aggregate another name"
    assert refused.value.span.column == 18
