"""Well-typed definitions by chance, as text: expressions, tables of one row and of many, queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

ARGUMENTS = "p INT, q DOUBLE, s VARCHAR"
TABLES = """
    TABLE one(a INT, b DOUBLE, c BIGINT);
    TABLE rows(x INT, y DOUBLE, z VARCHAR);"""
RETURNS = "(i BIGINT, d DOUBLE, v VARCHAR)"

INTEGERS = ["0", "1", "-3", "7", "NULL", "2000000000"]
FLOATS = ["0.5", "-2.0", "1e300", "NULL", "3.0"]
STRINGS = ["'a'", "'b'", "''", "NULL"]


@dataclass(frozen=True)
class Names:
    """What columns expressions may name, by type."""

    integers: tuple[str, ...] = ()
    floats: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()

    def with_(self, other: Names) -> Names:
        return Names(
            self.integers + other.integers, self.floats + other.floats, self.strings + other.strings
        )


TUPLE = Names(("p",), ("q",), ("s",))
ONE = Names(("a", "c"), ("b",))
ROWS = Names(("x",), ("y",), ("z",))
NOTHING = Names()


class Writer:
    """Writes parts of a definition, each by a choice."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def pick(self, choices: Sequence[str]) -> str:
        return self._draw(st.sampled_from(choices))

    def integer(self, names: Names, depth: int = 2) -> str:
        kind = self.pick(["name", "literal", "sum", "abs", "case", "coalesce", "div", "round", "query"])
        if depth == 0 or kind in ("name", "literal"):
            return self.pick([*(names.integers if kind == "name" else ()), *INTEGERS[: 6 if kind else 0]])
        inner = self.integer(names, depth - 1)
        if kind == "sum":
            return f"({inner} {self.pick(['+', '-', '*'])} {self.integer(names, depth - 1)})"
        if kind == "abs":
            return self.pick([f"abs({inner})", f"-({inner})"])
        if kind == "case":
            condition = self.condition(names, depth - 1)
            return f"CASE WHEN {condition} THEN {inner} ELSE {self.integer(names, depth - 1)} END"
        if kind == "coalesce":
            function = self.pick(["coalesce", "least", "greatest", "nullif"])
            return f"{function}({inner}, {self.integer(names, depth - 1)})"
        if kind == "div":
            return f"({inner} {self.pick(['//', '%'])} {self.pick(['3', '-2', 'p', 'NULL'])})".replace(
                "p)", f"{names.integers[0] if names.integers else 5})"
            )
        if kind == "round":
            return f"CAST({self.float(names, depth - 1)} AS INT)"
        return self.pick(
            [
                "(SELECT count(*) FROM rows)",
                "(SELECT min(x) FROM rows)",
                "(SELECT max(c) FROM one)",
                "(SELECT a FROM one)",
            ]
        )

    def float(self, names: Names, depth: int = 2) -> str:
        kind = self.pick(["name", "literal", "sum", "from", "case", "query"])
        if depth == 0 or kind in ("name", "literal"):
            return self.pick([*names.floats, *FLOATS])
        inner = self.float(names, depth - 1)
        if kind == "sum":
            return f"({inner} {self.pick(['+', '-', '*', '/'])} {self.float(names, depth - 1)})"
        if kind == "from":
            return f"CAST({self.integer(names, depth - 1)} AS DOUBLE)"
        if kind == "case":
            condition = self.condition(names, depth - 1)
            return f"CASE WHEN {condition} THEN {inner} ELSE {self.float(names, depth - 1)} END"
        return self.pick(["(SELECT avg(x) FROM rows)", "(SELECT max(y) FROM rows WHERE x > 0)"])

    def string(self, names: Names) -> str:
        return self.pick([*names.strings, *STRINGS])

    def condition(self, names: Names, depth: int = 2) -> str:
        """A condition whose parts cannot fail, for nobody says which of them DuckDB looks at first."""
        kind = self.pick(["integer", "float", "string", "and", "not", "null", "exists"])
        if kind in ("and", "not") and depth > 0:
            left, right = self.condition(names, depth - 1), self.condition(names, depth - 1)
            return f"({left} {self.pick(['AND', 'OR'])} {right})" if kind == "and" else f"(NOT {left})"
        if kind == "string":
            right = self.pick([*names.strings, "'a'", "'b'"])
            return f"{self.string(names)} {self.pick(['=', '<>'])} {right}"
        if kind == "null":
            return f"{self.pick([*names.integers, *names.floats, '1'])} IS {self.pick(['', 'NOT '])}NULL"
        if kind == "exists" and depth > 0:
            inner = self.pick(["x > 0", "x = (SELECT min(x) FROM rows)", "z = 'a'"])
            return self.pick(
                [f"EXISTS (SELECT * FROM rows WHERE {inner})", "1 < (SELECT max(x) FROM rows)"]
            )
        operator = self.pick(["=", "<>", "<", "<=", ">", ">="])
        plain = [*names.floats, *FLOATS] if kind == "float" else [*names.integers, *INTEGERS]
        return f"{self.pick(plain)} {operator} {self.pick(plain)}"

    def action(self, names: Names) -> str:
        kind = self.pick(["update", "insert", "change", "delete", "return", "copy", "give"])
        one, rows = names.with_(ONE), names.with_(ROWS)
        if kind == "update":
            return f"UPDATE one SET a = {self.integer(one)}, b = {self.float(one)}"
        if kind == "insert":
            values = f"{self.integer(names)}, {self.float(names)}, {self.string(names)}"
            where = f" WHERE {self.condition(names)}" if self.pick("yn") == "y" else ""
            return f"INSERT INTO rows VALUES ({values}){where}"
        if kind == "change":
            set_ = f"x = {self.integer(rows)}, z = {self.string(rows)}"
            return f"UPDATE rows SET {set_} WHERE {self.condition(rows)}"
        if kind == "delete":
            return f"DELETE FROM rows WHERE {self.condition(rows)}"
        if kind == "return":
            return (
                f"INSERT INTO RETURN SELECT c, {self.float(one)}, NULL FROM one WHERE {self.condition(one)}"
            )
        if kind == "copy":
            limit = "(SELECT count(*) FROM rows) < 5"
            return f"INSERT INTO rows SELECT {self.integer(rows)}, y, z FROM rows WHERE {limit}"
        return f"INSERT INTO RETURN SELECT {self.integer(rows)}, y, z FROM rows"

    def actions(self, names: Names) -> str:
        return "; ".join(self.action(names) for _ in range(self._draw(st.integers(1, 3))))


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """A window aggregate that says something at each event."""
    writer = Writer(draw)
    window = Names(("w",), ("u",), ("o",))
    expire = (
        f"INSERT INTO RETURN SELECT max(w), min(u), any_value(o) FROM inwindow; {writer.actions(TUPLE)}"
    )
    removal = f"DELETE FROM inwindow WHERE {writer.condition(window)}"
    return f"""CREATE WINDOW AGGREGATE chance({ARGUMENTS}) : {RETURNS} {{{TABLES}
    TABLE inwindow(w INT, u DOUBLE, o VARCHAR);
    INITIALIZE: {{ INSERT INTO one VALUES (p, q, 0); {writer.actions(TUPLE)} }}
    ITERATE: {{ UPDATE one SET c = c + 1; {writer.actions(TUPLE)}; {removal} }}
    TERMINATE: {{ {writer.actions(NOTHING)}; INSERT INTO RETURN SELECT c, b, 'end' FROM one }}
    EXPIRE: {{ {expire} }}
}}"""
