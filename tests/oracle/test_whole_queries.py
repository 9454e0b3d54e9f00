"""What asks for all that counts at once: the first so many, and queries that are asked again as a whole."""

from __future__ import annotations

from random import Random
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracle.random_queries import RandomQuery
from tests.oracle.windows import STORIES, Story, replayed
from windrow.plan import running

TOP = [
    "SELECT k, v FROM {S} ORDER BY v DESC, k LIMIT 2",
    "SELECT k, v FROM {S} ORDER BY k NULLS FIRST, v DESC NULLS FIRST, t LIMIT 1 OFFSET 1",
    "SELECT k, count(*) AS n FROM {S} GROUP BY k ORDER BY count(v) DESC, k LIMIT 2",
    "SELECT k, v + 1 AS w FROM {S} WHERE v > 0 ORDER BY v * -1, k OFFSET 1",
    "WITH few AS (SELECT DISTINCT k FROM {S} ORDER BY k LIMIT 2)"
    " SELECT few.k, v FROM few JOIN {T} ON few.k = T.k",
    "SELECT k, v FROM {S} UNION ALL SELECT v, k FROM {T} ORDER BY 2 DESC, 1 LIMIT 3",
]
WHOLE = [
    "SELECT k, v, count(*) AS n FROM {S} GROUP BY GROUPING SETS ((k, v), (k), (v))",
    "SELECT k, v FROM {S} WHERE v = (SELECT max(v) FROM {T}) OR k NOT IN (SELECT v FROM {T} WHERE v > 0)",
    "SELECT k, (SELECT count(*) FROM {T} WHERE T.k >= S.k) AS n FROM {S}",
    "SELECT k, sum(v) AS n FROM {S} GROUP BY k HAVING sum(v) >= (SELECT avg(v) FROM {T})",
    "SELECT k, v FROM {S} QUALIFY rank() OVER (PARTITION BY k ORDER BY v DESC) = 1",
    "SELECT k, v, dense_rank() OVER (ORDER BY v) AS n FROM {S}",
    "SELECT DISTINCT ON (k) k, v FROM {S} ORDER BY k, v DESC",
    "SELECT k, n FROM {S}, LATERAL (SELECT count(*) AS n FROM {T} WHERE T.v < S.v) AS less",
    "SELECT k, S.v AS a, T.v AS b FROM {S} FULL JOIN {T} USING (k)",
    "SELECT k FROM {S} UNION BY NAME SELECT v, k FROM {T}",
    "WITH s AS (SELECT k, v FROM {S})"
    " SELECT k FROM s WHERE v = (SELECT max(v) FROM s AS o WHERE o.k = s.k)",
]


QUERIES = st.sampled_from([*TOP, *WHOLE])


@settings(deadline=None, max_examples=16)
@given(STORIES, QUERIES)
def test_the_answer_is_right_at_every_second(story: Story, query: str) -> None:
    assert replayed(story.told(query)) == story.answers(query)


RANDOM = st.integers(0, 2**32).map(lambda seed: RandomQuery(Random(seed)).drawn())


@settings(deadline=None, max_examples=16, suppress_health_check=[HealthCheck.too_slow])
@given(STORIES, RANDOM)
def test_so_is_that_of_random_queries(story: Story, query: str) -> None:
    assert replayed(story.told(query)) == story.answers(query)


@settings(deadline=None, max_examples=12, suppress_health_check=list(HealthCheck))
@given(STORIES, QUERIES | RANDOM)
def test_so_it_is_however_few_tuples_go_through_at_once(story: Story, query: str) -> None:
    with patch.object(running, "STRETCH", 3):
        told = story.told(query)
    assert replayed(told) == story.answers(query)


@pytest.mark.slow
@settings(deadline=None, max_examples=1000)
@given(STORIES, QUERIES | RANDOM, st.sampled_from(["upa", "negative", "direct"]))
def test_so_it_is_in_many_more_stories(story: Story, query: str, expiration: str) -> None:
    assert replayed(story.told(query, expiration=expiration)) == story.answers(query)
