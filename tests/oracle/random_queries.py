"""Queries drawn by chance, over the two streams of `windows.py`: joins, groups, orders, queries within
queries. What any of them may hold, each of them may."""

from __future__ import annotations

from random import Random

_JOINS = (
    ", {T} AS b",
    " JOIN {T} AS b ON a.k = b.k",
    " LEFT JOIN {T} AS b ON a.k = b.k",
    " FULL JOIN {T} AS b ON a.k = b.k AND a.v < b.v",
    " JOIN {T} AS b USING (k)",
    " FULL JOIN {T} AS b USING (k)",
    ", LATERAL (SELECT max(v) AS v, min(k) AS k FROM {T} WHERE v <= a.v) AS b",
    " LEFT JOIN (SELECT k, max(v) AS v FROM {T} GROUP BY k) AS b ON b.k = a.v",
)
_NUMBERED = "(SELECT k, v, t, row_number() OVER (ORDER BY v, k, t) AS n FROM {S}) AS a"
_HAVING = ("count(*) > 1", "sum({}) >= (SELECT min(v) FROM {{T}})", "max({}) IS NOT NULL")
_FIRST = ("", " LIMIT 2", " LIMIT 1 OFFSET 1")


class RandomQuery:
    """Draws from one source of chance."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._joined = chance.random() < 0.5

    def drawn(self) -> str:
        where = f" WHERE {self._condition()}" if self._chance.random() < 0.5 else ""
        from_ = f"{self._from()}{where}"
        return self._grouped(from_) if self._chance.random() < 0.4 else self._selected(from_)

    def _from(self) -> str:
        if self._joined:
            return "{S} AS a" + self._chance.choice(_JOINS)
        return _NUMBERED if self._chance.random() < 0.2 else "{S} AS a"

    def _grouped(self, from_: str) -> str:
        first, *more = [self._column() for _ in range(self._chance.randint(1, 2))]
        keys = ", ".join([first, *more])
        groups = self._chance.choice([keys, f"GROUPING SETS (({keys}), ({first}))"])
        call = f"{self._chance.choice(['sum', 'max', 'min'])}({self._column()})"
        query = f"SELECT {first} AS x, count(*) AS n, {call} AS y FROM {from_} GROUP BY {groups}"
        if self._chance.random() < 0.4:
            query += f" HAVING {self._chance.choice(_HAVING).format(self._column())}"
        if self._chance.random() < 0.4:
            query += f" ORDER BY n DESC, x, y{self._chance.choice(_FIRST)}"
        return query

    def _selected(self, from_: str) -> str:
        ranked = self._chance.random() < 0.2
        listed = [f"{self._value()} AS x", f"{self._value()} AS y"]
        if ranked:
            listed.append(f"rank() OVER (PARTITION BY {self._column()} ORDER BY {self._column()}) AS n")
        query = f"SELECT {self._chance.choice(['', 'DISTINCT '])}{', '.join(listed)} FROM {from_}"
        if self._chance.random() < 0.15:
            query += f" QUALIFY dense_rank() OVER (ORDER BY {self._column()}) <= 2"
        if self._chance.random() < 0.4:
            order = f"x{self._chance.choice(['', ' DESC', ' NULLS FIRST'])}, y{', n' if ranked else ''}"
            query += f" ORDER BY {order}{self._chance.choice(_FIRST)}"
        return query

    def _column(self) -> str:
        return self._chance.choice(["a.k", "a.v", *(["b.k", "b.v"] if self._joined else [])])

    def _value(self) -> str:
        column = self._column()
        within = [
            f"(SELECT max(v) FROM {{T}} AS z WHERE z.k = {column})",
            f"(SELECT sum(z.v) FROM {{T}} AS z WHERE z.v < {column})",
            "(SELECT count(*) FROM {T})",
            "(SELECT avg(v) FROM {S})",
        ]
        plain = [column, column, column, f"{column} + 1", f"coalesce({column}, 0)"]
        return self._chance.choice([*plain, self._chance.choice(within)])

    def _condition(self) -> str:
        column, other = self._column(), self._chance.choice(["k", "v"])
        return self._chance.choice(
            [
                f"{self._value()} {self._chance.choice(['<', '=', '>=', '<>'])} {self._value()}",
                f"{column} IN (SELECT {other} FROM {{T}})",
                f"{column} NOT IN (SELECT {other} FROM {{T}} WHERE v > 0)",
                f"EXISTS (SELECT 1 FROM {{T}} AS y WHERE y.k = {column})",
                f"({self._column()} IS NULL OR {self._value()} = {column})",
            ]
        )
