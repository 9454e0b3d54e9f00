"""Queries over a stream S, a table T and an NRR N, each beside what it means: SQL over plain tables.

In the meaning, `s` has all tuples up to the clock, `live` those of the last five seconds, `slid` those in
a window of six seconds that moves every two, `newest` the two newest; `t` has the rows of T at the clock.
`n` has the rows of N at the clock, and `past` all that there ever were: a row is seen by tuples after
`begin` and up to `end`.
"""

from __future__ import annotations

from dataclasses import dataclass

_SEEN = 'begin < s.t AND s.t <= past."end"'


@dataclass(frozen=True)
class Meant:
    """A query and its meaning."""

    query: str
    meaning: str


GROUPED = Meant(
    "SELECT name, count(*) AS c, sum(k) AS s FROM T GROUP BY name",
    "SELECT name, count(*), sum(k) FROM t GROUP BY name",
)
JOINED = Meant(
    "SELECT v, name FROM S [RANGE 5 SECONDS] JOIN T ON S.k = T.k",
    "SELECT v, name FROM live JOIN t ON live.k = t.k",
)
LOOKED_UP = Meant(
    "SELECT v, name FROM S LEFT JOIN N ON S.k = N.k AND name <> 'a'",
    f"SELECT v, name FROM s LEFT JOIN past ON s.k = past.k AND name <> 'a' AND {_SEEN}",
)

OF_TABLES = (
    Meant("SELECT k, name FROM T WHERE k > 1", "SELECT k, name FROM t WHERE k > 1"),
    Meant("SELECT count(*) AS c FROM N", "SELECT count(*) FROM n"),
    GROUPED,
    Meant(
        "SELECT x.k, y.name, N.name FROM T x JOIN T y ON x.k = y.k + 1 JOIN N ON N.k = y.k",
        "SELECT x.k, y.name, n.name FROM t x JOIN t y ON x.k = y.k + 1 JOIN n ON n.k = y.k",
    ),
    Meant("SELECT DISTINCT name FROM T", "SELECT DISTINCT name FROM t"),
    Meant("SELECT k FROM T EXCEPT ALL SELECT k FROM N", "SELECT k FROM t EXCEPT ALL SELECT k FROM n"),
    Meant(
        "SELECT k FROM T WHERE name NOT IN (SELECT name FROM N WHERE N.k > T.k)",
        "SELECT k FROM t WHERE name NOT IN (SELECT name FROM n WHERE n.k > t.k)",
    ),
    Meant("SELECT k FROM T INTERSECT SELECT k FROM N", "SELECT k FROM t INTERSECT SELECT k FROM n"),
    Meant(
        "SELECT k, name FROM T ORDER BY k, name LIMIT 2",
        "SELECT k, name FROM t ORDER BY k, name LIMIT 2",
    ),
    Meant(
        "SELECT k FROM T WHERE k = (SELECT min(k) FROM N) OR name = 'a'",
        "SELECT k FROM t WHERE k = (SELECT min(k) FROM n) OR name = 'a'",
    ),
    Meant(
        "SELECT a.k, b.name FROM N a FULL JOIN T b ON a.k = b.k",
        "SELECT a.k, b.name FROM n a FULL JOIN t b ON a.k = b.k",
    ),
)
"""Asked of tables alone."""

OF_STREAMS = (
    JOINED,
    Meant(
        "SELECT v, name FROM S [RANGE 5 SECONDS] LEFT JOIN T ON S.k = T.k AND name <> 'a'",
        "SELECT v, name FROM live LEFT JOIN t ON live.k = t.k AND name <> 'a'",
    ),
    Meant(
        "SELECT T.k, name, v FROM T LEFT JOIN S [RANGE 5 SECONDS] ON S.k = T.k AND v < 2",
        "SELECT t.k, name, v FROM t LEFT JOIN live ON live.k = t.k AND v < 2",
    ),
    Meant(
        "SELECT name, count(*) AS c FROM S [RANGE 5 SECONDS], T WHERE v >= T.k GROUP BY name",
        "SELECT name, count(*) FROM live, t WHERE v >= t.k GROUP BY name",
    ),
    Meant(
        "SELECT v, name FROM S [ROWS 2], T WHERE S.k = T.k",
        "SELECT v, name FROM newest, t WHERE newest.k = t.k",
    ),
    Meant(
        "SELECT v FROM S [RANGE 5 SECONDS] WHERE k IN (SELECT k FROM T)",
        "SELECT v FROM live WHERE k IN (SELECT k FROM t)",
    ),
    Meant(
        "SELECT v FROM S [RANGE 5 SECONDS] WHERE k NOT IN (SELECT k FROM T)",
        "SELECT v FROM live WHERE k NOT IN (SELECT k FROM t)",
    ),
    Meant(
        "SELECT k, name FROM T WHERE NOT EXISTS (FROM S [RANGE 5 SECONDS] WHERE S.k = T.k AND v < 3)",
        "SELECT k, name FROM t WHERE NOT EXISTS (FROM live WHERE live.k = t.k AND v < 3)",
    ),
    Meant(
        "SELECT k FROM S [RANGE 5 SECONDS] UNION SELECT k FROM T",
        "SELECT k FROM live UNION SELECT k FROM t",
    ),
    Meant(
        "SELECT v, c FROM S [RANGE 5 SECONDS] JOIN (SELECT k, count(*) AS c FROM T GROUP BY k) q USING (k)",
        "SELECT v, c FROM live JOIN (SELECT k, count(*) AS c FROM t GROUP BY k) q USING (k)",
    ),
    Meant(
        "SELECT v FROM S [RANGE 5 SECONDS] WHERE v > (SELECT max(k) FROM T)",
        "SELECT v FROM live WHERE v > (SELECT max(k) FROM t)",
    ),
    Meant(
        "WITH q AS (SELECT S.k, v, name FROM S [RANGE 5 SECONDS] JOIN N ON S.k = N.k)"
        " SELECT v, name, (SELECT count(*) FROM T WHERE T.k = q.k) AS c FROM q",
        "SELECT v, name, (SELECT count(*) FROM t WHERE t.k = s.k) FROM live s JOIN past"
        f" ON s.k = past.k AND {_SEEN}",
    ),
    Meant("SELECT k FROM S UNION ALL SELECT k FROM T", "SELECT k FROM s UNION ALL SELECT k FROM t"),
    Meant(
        "SELECT v, name FROM S JOIN N ON S.k = N.k",
        f"SELECT v, name FROM s JOIN past ON s.k = past.k AND {_SEEN}",
    ),
    LOOKED_UP,
    Meant(
        "SELECT v, N.k FROM S, N WHERE v > N.k",
        f"SELECT v, past.k FROM s, past WHERE v > past.k AND {_SEEN}",
    ),
    Meant(
        "SELECT name, sum(v) AS s FROM S [RANGE 5 SECONDS], N WHERE S.k = N.k GROUP BY name",
        f"SELECT name, sum(v) FROM live s, past WHERE s.k = past.k AND {_SEEN} GROUP BY name",
    ),
    Meant(
        "SELECT v + 0 AS w, name FROM S [RANGE 6 SECONDS SLIDE 2 SECONDS], N WHERE S.k = N.k AND v > 0",
        f"SELECT v, name FROM slid s, past WHERE s.k = past.k AND v > 0 AND {_SEEN}",
    ),
    Meant(
        "SELECT v FROM S WHERE k IN (SELECT k FROM N WHERE name <> 'a')",
        f"SELECT v FROM s WHERE EXISTS (FROM past WHERE s.k = past.k AND name <> 'a' AND {_SEEN})",
    ),
    Meant(
        "SELECT k, v FROM S [RANGE 5 SECONDS] WHERE k NOT IN (SELECT k FROM N)",
        f"SELECT k, v FROM live s WHERE k NOT IN (SELECT k FROM past WHERE {_SEEN})",
    ),
    Meant(
        "SELECT k, v FROM S WHERE v NOT IN (SELECT k FROM N WHERE N.k > S.k)",
        f"SELECT k, v FROM s WHERE v NOT IN (SELECT k FROM past WHERE past.k > s.k AND {_SEEN})",
    ),
    Meant(
        "SELECT v FROM S [RANGE 5 SECONDS] WHERE k IN (SELECT k FROM T)"
        " AND NOT EXISTS (FROM N WHERE N.k = S.k AND S.v > 1)",
        "SELECT v FROM live s WHERE k IN (SELECT k FROM t)"
        f" AND NOT EXISTS (FROM past WHERE past.k = s.k AND s.v > 1 AND {_SEEN})",
    ),
    Meant(
        "SELECT v, N.name, T.name FROM S [RANGE 5 SECONDS], N, T WHERE S.k = N.k AND S.k = T.k",
        f"SELECT v, past.name, t.name FROM live s, past, t WHERE s.k = past.k AND s.k = t.k AND {_SEEN}",
    ),
)
"""Asked of the stream and relations."""
