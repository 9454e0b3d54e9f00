"""EXISTS, IN and their like over windows say at every instant what SQL says of the tuples that live."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.windows import STORIES, Story, replayed

QUERIES = (
    "SELECT k, v FROM {S} WHERE EXISTS (SELECT 1 FROM {T} WHERE T.k = S.k)",
    "SELECT k, v FROM {S} WHERE NOT EXISTS (SELECT * FROM {T} WHERE T.k = S.k)",
    "SELECT k, v FROM {S} WHERE k IN (SELECT v FROM {T})",
    "SELECT k, v FROM {S} WHERE k NOT IN (SELECT v FROM {T})",
    "SELECT v FROM {S} WHERE v NOT IN (SELECT v FROM {T} WHERE T.k = S.k)",
    "SELECT v FROM {S} WHERE NOT v IN (SELECT T.v + 1 FROM {T} WHERE T.v < S.k OR T.k IS NULL)",
    "SELECT k FROM {S} WHERE EXISTS (FROM {T}) AND v > 0",
    "SELECT k FROM {S} WHERE NOT EXISTS (SELECT 1 FROM {T} WHERE T.v > S.v AND S.k = 1)",
    "SELECT k, v FROM {S} WHERE (k, v) IN (SELECT v, k FROM {T})",
    "SELECT k, v FROM {S} WHERE (k, v) NOT IN (SELECT k, v FROM {T} WHERE v > 0)",
    "SELECT k, v FROM {S} WHERE v = ANY (SELECT T.v::BIGINT FROM {T} WHERE T.k = S.k)",
    "SELECT k, v FROM {S} WHERE v >= ALL (SELECT v FROM {T}) AND k <> ALL (SELECT v FROM {T})",
    "SELECT k, v FROM {S} WHERE NOT v < ANY (SELECT v FROM {T} WHERE T.k <= S.k)",
    "SELECT k, v FROM {S} WHERE NOT v <= ALL (SELECT v FROM {T} WHERE T.k <> S.k)",
    "SELECT k, v FROM {S} WHERE 1 NOT IN (SELECT T.v FROM {T} WHERE T.k = S.k)",
    "SELECT k, v FROM {S} WHERE k IN (SELECT k FROM {T} GROUP BY k HAVING count(*) > 1)",
    "SELECT k, v FROM {S} WHERE v NOT IN (SELECT max(v) FROM {T} GROUP BY k)",
    "SELECT S.v FROM {S} JOIN {T} USING (k) WHERE S.v NOT IN (SELECT o.k FROM {S} AS o WHERE o.k <> T.v)",
    "SELECT count(*) AS n, k FROM {S} WHERE NOT EXISTS (SELECT 1 FROM {T} WHERE T.k = S.k) GROUP BY k",
    "SELECT k, v FROM {S} WHERE EXISTS (SELECT 1 FROM {T} WHERE T.k = S.k"
    " AND T.v NOT IN (SELECT o.v FROM {S} AS o WHERE o.k = T.k))",
    "SELECT q.k FROM (SELECT k, v FROM {S} WHERE k IN (SELECT v FROM {T})) AS q"
    " WHERE q.v NOT IN (SELECT v FROM {T} AS o)",
    "SELECT k FROM {S} WHERE k IN (SELECT k FROM {T} UNION ALL SELECT v FROM {S} AS o)",
)


@settings(deadline=None, max_examples=24)
@given(STORIES, st.sampled_from(QUERIES), st.sampled_from(["upa", "upa", "negative", "direct"]))
def test_tuples_are_there_while_they_have_a_partner_or_have_none(
    story: Story, query: str, expiration: str
) -> None:
    assert replayed(story.told(query, expiration=expiration)) == story.answers(query)


@pytest.mark.slow
@settings(deadline=None, max_examples=400)
@given(STORIES, st.sampled_from(QUERIES), st.sampled_from(["upa", "negative", "direct"]))
def test_so_they_are_in_many_more_stories(story: Story, query: str, expiration: str) -> None:
    assert replayed(story.told(query, expiration=expiration)) == story.answers(query)
