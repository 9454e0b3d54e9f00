"""What a short text would grow into: aliases stand for their whole expressions, and stars for all columns.

An alias that names another one twice is twice as long, and the tenth of them a thousand times; so are the
columns of queries that spread those inside them twice. Such texts are refused before anybody, windrow or
DuckDB, writes them out. Names are not resolved yet: a column that has an alias's name counts as that alias.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from windrow.errors import Refused, Span

WRITTEN_OUT = 20_000
"""Names, values and operators that the aliases of a SELECT may stand for, taken together."""
SPREAD = 1_000
"""Times that a query may give all columns of a table."""


def check_growth(tree: exp.Expr, place: Callable[[exp.Expr], Span]) -> None:
    """Refuse what would grow beyond measure."""
    widths = _Widths({each.alias.lower(): each for each in tree.find_all(exp.CTE, bfs=False)})
    for name in widths.queries:
        widths.of_name(name)  # in the order in which one names the other, so none has to wait for many
    for select in tree.find_all(exp.Select):
        if _written_out(select) > WRITTEN_OUT:
            raise Refused(
                "an alias stands for its whole expression, and here too many stand within each other",
                place(select),
                hint="compute a part of it in a query in FROM, where it is a column",
            )
        if widths.of(select) > SPREAD:
            raise Refused(
                "a star gives all columns of what it stands for, and here these are too many",
                place(select),
                hint="name the columns that are needed",
            )


def _written_out(select: exp.Select) -> int:
    """How much the names of aliases in a SELECT stand for."""
    sizes: dict[str, int] = {}
    for item in select.expressions:
        if isinstance(item, exp.Alias):
            sizes[item.alias.lower()] = sum(1 for _ in item.walk()) + _borrowed(item.this, sizes)
    return _borrowed(select, sizes) if sizes else 0


def _borrowed(tree: exp.Expr, sizes: Mapping[str, int]) -> int:
    return sum(sizes.get(column.parts[0].name.lower(), 0) for column in tree.find_all(exp.Column))


@dataclass
class _Widths:
    """How many times queries give all columns of a table."""

    queries: Mapping[str, exp.CTE]
    """Those of WITH, by their names in small letters."""
    known: dict[str, int] = field(default_factory=dict)

    def of_name(self, name: str) -> int:
        """Of a query of WITH; of a table, once."""
        if name not in self.known:
            self.known[name] = 1  # as long as it is not known, should it name itself
            if name in self.queries:
                self.known[name] = self.of(self.queries[name].this)
        return self.known[name]

    def of(self, query: exp.Expr) -> int:
        while isinstance(query, exp.Subquery | exp.SetOperation):
            query = query.this
        if isinstance(query, exp.Table):
            return self.of_name(query.name.lower())
        stars = list(filter(_is_star, query.expressions)) if isinstance(query, exp.Select) else []
        if not stars:
            return 1
        read = [each.this for each in (query.args.get("from_"), *(query.args.get("joins") or ())) if each]
        widths = [self.of(each) for each in read] or [1]
        return sum(max(widths) if isinstance(star, exp.Column) else sum(widths) for star in stars)


def _is_star(item: exp.Expr) -> bool:
    """Whether an item of a SELECT list gives all columns of something; count(*) does not."""
    star = item.this if isinstance(item, exp.Column) else item
    return isinstance(star, exp.Star) or item.find(exp.Columns) is not None
