"""Queries that no incremental steps compute: asked again as a whole, over the windows as they are then.

What FROM names, here and in the queries inside, becomes tables __0, __1, … with what counts; everything
else is DuckDB's, which also says whether it is well-formed, and what columns it gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

from windrow.errors import Refused, Span, StatementError, UnknownName
from windrow.language import engine
from windrow.language.changing import bound_error, quoted
from windrow.language.conditions import only_columns
from windrow.language.context import Context, Names
from windrow.language.duplicates import check_ends
from windrow.language.nested_output import nested_streams
from windrow.language.ordering import shown_in_order
from windrow.language.projection import distinct_names
from windrow.language.refusals import refuse_samples
from windrow.language.scalars import NotScalar, check_steady, function_names
from windrow.language.scope import unsteady
from windrow.language.sources import Sources
from windrow.language.statements import FrameClause, WindowClause
from windrow.language.tokens import DIALECT
from windrow.plan.emitting import Reevaluate, windows_of
from windrow.plan.joins import RelationScan
from windrow.plan.nodes import Node, leaves, scans
from windrow.plan.windows import Extent
from windrow.schema import Field, Schema

_Source: TypeAlias = exp.Table | exp.Subquery | exp.Select
_FUNCTIONS = frozenset({"range", "generate_series", "unnest"})
"""Those that may stand in FROM: they reach neither files nor the clock."""


def reevaluated(tree: exp.Expr, context: Context, reason: str, refusal: NotScalar | None = None) -> Node:
    """A query that is asked again, because of something that no incremental step computes. `refusal` is
    raised instead where it cannot be, if it says more."""
    question = _Question(context, reason, refusal)
    asked = tree.copy()
    asked.set("with_", None)  # these queries are known to the context
    asked.meta.pop("output", None)
    query = question.over_tables(asked)
    output = question.output(query, tree)
    assert isinstance(query, exp.Query)
    node = Reevaluate(tuple(question.sources), query, output, reason)
    return shown_in_order(tree, node, context)


@dataclass
class _Question:
    """Replaces what a query reads by tables, and notes what they stand for."""

    context: Context
    reason: str
    refusal: NotScalar | None
    sources: list[Node] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    """The names of all columns that there are."""
    nrrs: list[tuple[str, Span]] = field(default_factory=list)
    """Those that are read as tables, and where."""

    def over_tables(self, query: exp.Expr) -> exp.Expr:
        """The query, which is changed, over tables."""
        refuse_samples(query, self.context.scope())
        wanted = _wanted(query)
        root = exp.Paren(this=query)
        for tree in list(_sources(query)):
            self._replace(tree, wanted)
        if not self.sources:
            raise self.refusal or Refused(
                "a query reads a stream, and this one reads none",
                self.context.place(query),
                hint="name a stream in FROM",
            )
        self._check_nrrs()
        self._check_functions(root)
        for window in root.find_all(exp.Window):
            self._frame(window)
        result: exp.Expr = root.this.pop()
        return result

    def output(self, query: exp.Expr, written: exp.Expr) -> Schema:
        """The columns that DuckDB says the query gives."""
        tables = (
            f"CREATE TABLE {quoted(_table(place))} ({_columns(node.schema)})"
            for place, node in enumerate(self.sources)
        )
        try:
            described = engine.describe_over(tables, query.sql(DIALECT))
        except engine.Fault as fault:
            raise self._explained(fault, written) from None
        names = distinct_names([name for name, _ in described])
        types = (type_.replace('"NULL"', "INTEGER") for _, type_ in described)
        return Schema(tuple(map(Field, names, types)))

    def _replace(self, tree: _Source, wanted: frozenset[str] | None) -> None:
        """Put a table in the place of something that is read."""
        if isinstance(tree, exp.Select):
            table = self._table(exp.Subquery(this=tree.copy()), tree, None)
            tree.replace(exp.Select(expressions=[exp.Star()], from_=exp.From(this=table)))
            return
        bare = tree.copy()
        for clause in ("alias", "joins", "pivots", "laterals", "sample"):
            bare.set(clause, None)
        table = self._table(bare, tree, wanted)
        for clause in ("alias", "joins", "pivots", "laterals"):
            table.set(clause, tree.args.get(clause))
        if table.args.get("alias") is None and isinstance(tree, exp.Table):
            table.set("alias", exp.TableAlias(this=exp.to_identifier(tree.name, quoted=True)))
        tree.replace(table)

    def _table(self, bare: exp.Expr, tree: _Source, wanted: frozenset[str] | None) -> exp.Table:
        """The table that stands for something that is read, or for the wanted columns of it."""
        (factor,) = Sources(self.context, Names(), False).read([bare])
        self._check(factor.node, tree)
        node = factor.node
        self.known += [name for name in node.schema.names if name not in self.known]
        if wanted is not None:
            kept = [name for name in node.schema.names if name.lower() in wanted]
            node = only_columns(node, kept or node.schema.names[:1])
        if node not in self.sources:
            self.sources.append(node)
        return exp.Table(this=exp.to_identifier(_table(self.sources.index(node)), quoted=True))

    def _check(self, node: Node, tree: exp.Expr) -> None:
        """Refuse what there is no asking again over."""
        span = self.context.place(tree.this if isinstance(tree, exp.Table) else tree)
        clause: WindowClause | None = tree.meta.get("window")
        if clause is not None and clause.internal:
            raise Refused(
                f"{self.reason} is computed anew over all that counts, and INTERNAL windows keep that back",
                clause.span,
                hint="leave INTERNAL out",
            )
        if not scans(node):
            names = (each.relation.name for each in _nrrs(node))
            self.nrrs += [(name, span) for name in names]
        try:
            check_ends(
                node, span, f"{self.reason} has to see all that counts, and {{}} has no end", self.context
            )
        except Refused as endless:
            raise self.refusal or endless from None

    def _check_nrrs(self) -> None:
        """An NRR may be asked again beside other tables, but not beside streams."""
        if self.nrrs and any(map(scans, self.sources)):
            name, span = self.nrrs[0]
            raise Refused(
                f"{self.reason} is computed anew over all that counts, and tuples see {name} as it was"
                " when they came",
                span,
                hint="join it with the stream in a query of WITH, or declare it with CREATE TABLE",
            )

    def _check_functions(self, root: exp.Expr) -> None:
        scope = self.context.scope()
        for function in root.find_all(exp.Func):
            check_steady(function, scope)
            own = self.context.catalog.aggregates.keys() & function_names(function, scope)
            if own:
                raise Refused(
                    f"{self.reason} is asked of DuckDB as a whole, which does not know your {min(own)}()",
                    self.context.place(function),
                    hint="call it in a query of WITH, and go on from its results",
                )
        for table in root.find_all(exp.Table):
            if not isinstance(table.this, exp.Identifier) and table.this.name.lower() not in _FUNCTIONS:
                if isinstance(table.this, exp.GenerateSeries):
                    continue
                raise Refused(
                    "FROM names a stream or holds a query",
                    self.context.place(table),
                    hint="declare a source with CREATE STREAM",
                )
        known = frozenset(map(str.lower, self.known))
        for column in root.find_all(exp.Column):
            name = column.name.lower()
            if name in engine.unsteady_functions() - known and not column.this.args.get("quoted"):
                raise unsteady(column.name, self.context.place(column))

    def _frame(self, window: exp.Window) -> None:
        """Put a frame that was carved out back, in DuckDB's words."""
        clause: FrameClause | None = window.meta.get("frame")
        if clause is None:
            return
        if clause.slide is not None or clause.active:
            raise Refused(
                "a frame with SLIDE or ACTIVE EXPIRATION follows the tuples of a stream as they come",
                clause.span,
                hint="leave it out, or the window in FROM" if self._has_windows else "leave it out",
            )
        length = None if clause.size is None else str(clause.size)
        if length is not None and clause.extent is Extent.TIME:
            length = f"INTERVAL {length} MICROSECONDS"
        window.set(
            "spec",
            exp.WindowSpec(
                kind=clause.extent.value,
                start="UNBOUNDED" if length is None else exp.Var(this=length),
                start_side="PRECEDING",
                end="CURRENT ROW",
            ),
        )

    @property
    def _has_windows(self) -> bool:
        return any(True for node in self.sources for _ in windows_of(node))

    def _explained(self, fault: engine.Fault, written: exp.Expr) -> StatementError:
        if self.refusal is not None and fault.kind in ("Binder", "Parser"):
            return self.refusal
        span = self._place(fault, written)
        error = bound_error(fault, span, self.known)
        if isinstance(error, UnknownName) or error.hint:
            return error
        return Refused(error.message, span, hint=f"{self.reason} is asked of DuckDB as a whole")

    def _place(self, fault: engine.Fault, written: exp.Expr) -> Span:
        """Where the query has the name that is the matter; the whole query if it is none."""
        for each in written.find_all(exp.Column, exp.Func):
            known = each.sql_names() if isinstance(each, exp.Func) else [each.name]
            if fault.name and fault.name.lower() in map(str.lower, [each.name, *known]):
                return self.context.place(each)
        return self.context.place(written)


def _nrrs(node: Node) -> Iterator[RelationScan]:
    for leaf in leaves(node):
        if isinstance(leaf, RelationScan) and not leaf.relation.retroactive:
            yield leaf


def _sources(query: exp.Expr) -> Iterator[_Source]:
    """What FROM names in a query and in those inside, and queries with windows or made streams."""
    stack = [query]
    while stack:
        tree = stack.pop()
        in_from = isinstance(tree, exp.Subquery) and isinstance(tree.parent, exp.From | exp.Join)
        whole = tree.meta.get("window") or (in_from and tree.this.meta.get("output"))
        made = isinstance(tree, exp.Select) and (
            tree.meta.get("output") or any(True for _ in nested_streams(tree.expressions))
        )
        named = isinstance(tree, exp.Table) and isinstance(tree.this, exp.Identifier)
        if whole or made or (named and not _is_named_inside(tree)):
            assert isinstance(tree, _Source)
            yield tree
            stack += [] if made else tree.args.get("joins") or []
        else:
            stack += reversed(list(tree.iter_expressions()))


def _is_named_inside(table: exp.Expr) -> bool:
    """Whether a name is that of a query of a WITH around it."""
    below, tree = table, table.parent
    while tree is not None:
        clause = tree if isinstance(tree, exp.With) else tree.args.get("with_")
        for each in clause.expressions if clause is not None and below is not clause else ():
            if each is below:
                break
            if each.alias.lower() == table.name.lower():
                return True
        below, tree = tree, tree.parent
    return False


def _wanted(query: exp.Expr) -> frozenset[str] | None:
    """The names, in small letters, of all columns that a query may read; None: perhaps all there are."""
    stars = (star for star in query.find_all(exp.Star) if not isinstance(star.parent, exp.Count))
    if any(True for _ in stars) or any(True for _ in query.find_all(exp.Columns, exp.Pivot)):
        return None
    if any((join.args.get("method") or "").upper() == "NATURAL" for join in query.find_all(exp.Join)):
        return None
    names = frozenset(each.name.lower() for each in query.find_all(exp.Identifier))
    tables = list(query.find_all(exp.Table))
    relations = {each.alias_or_name.lower() for each in tables}
    whole = any(column.name.lower() in relations for column in query.find_all(exp.Column))
    return None if whole or any(each.alias_column_names for each in tables) else names


def _table(place: int) -> str:
    return f"__{place}"


def _columns(schema: Schema) -> str:
    return ", ".join(f"{quoted(each.name)} {each.type}" for each in schema)
