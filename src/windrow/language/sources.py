"""What FROM names: streams, tables, queries in parentheses, each with its window and alias."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from windrow.catalog import DerivedStream
from windrow.catalog import Relation as Table
from windrow.errors import Refused, Span, UnknownName
from windrow.language.context import Context, Names
from windrow.language.names import counted, suggest
from windrow.language.projection import distinct_names
from windrow.language.refusals import refuse_clauses
from windrow.language.scalars import NotScalar
from windrow.language.scope import Relation
from windrow.language.statements import WindowClause
from windrow.language.windowing import windowed
from windrow.plan.joins import RelationScan
from windrow.plan.nodes import Node, Project, Scan, Select
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Extent, Window
from windrow.schema import Field, Schema

MOST_STEPS = 4_000
"""Of a plan. What is named twice is computed twice, so a short text may stand for very many."""


@dataclass(frozen=True)
class Factor:
    """Something that is joined with something else: its plan, and what can be named in it."""

    node: Node
    relations: tuple[Relation, ...]
    span: Span

    @property
    def name(self) -> str:
        return self.relations[0].name or "the query"

    @property
    def table(self) -> Table | None:
        """The relation whose rows it is, perhaps selected and renamed."""
        return _table(self.node)

    @property
    def is_table(self) -> bool:
        return self.table is not None

    @property
    def is_nrr(self) -> bool:
        return _is_nrr(self.node)


@dataclass
class Sources:
    """Reads the relations of one FROM, so that no two share a column."""

    context: Context
    names: Names
    internal: bool
    """Some window is INTERNAL: the others tell in a column when their tuples leave."""
    ends: list[str] = field(default_factory=list)
    """These columns."""

    def read(self, trees: Sequence[exp.Expr]) -> list[Factor]:
        """The factors of some trees, in order, their columns told apart."""
        factors = [self._factor(tree) for tree in trees]
        check_steps([factor.node for factor in factors], trees[0], self.context)
        seen: set[str] = set(self.names.taken)
        shared: set[str] = set()
        for factor in factors:
            own = {name.lower() for name in factor.node.schema.names}
            shared |= own & seen
            seen |= own
        self.names.take(name for name in seen if name not in shared)
        return [self._told_apart(factor, shared) for factor in factors]

    def _factor(self, tree: exp.Expr) -> Factor:
        name, node = self._named(tree)
        alias = tree.args.get("alias")
        if alias is not None:
            name = alias.name or name
        hidden = [end for end in self.ends if end in node.schema.names]
        if alias is not None and alias.columns:
            node = with_column_names(node, alias, self.context, len(hidden))
        visible = Schema(tuple(each for each in node.schema if each.name not in hidden))
        relation = Relation(name, visible, of_arguments=_of_arguments(tree, visible))
        return Factor(node, (relation,), self.context.place(tree))

    def _named(self, tree: exp.Expr) -> tuple[str, Node]:
        refuse_clauses(tree, self.context.scope())
        if isinstance(tree, exp.Table) and isinstance(tree.this, exp.Identifier):
            name, node = self._looked_up(".".join(part.name for part in tree.parts), tree)
        elif isinstance(tree, exp.Subquery) and isinstance(tree.this, exp.Table):
            name, node = self._named(tree.this)
        elif isinstance(tree, exp.Subquery):
            name, node = "", self.context.query(tree.this)
        else:
            raise NotScalar(
                "what FROM computes",
                "FROM names a stream or holds a query",
                self.context.place(tree),
                hint="declare a source with CREATE STREAM",
            )
        clause: WindowClause | None = tree.meta.get("window")
        if clause is not None:
            node = windowed(node, clause, name, tree.alias)
        return name, self._exposed(node, clause, name, tree)

    def _looked_up(self, name: str, tree: exp.Table) -> tuple[str, Node]:
        """What a name stands for, and the name as it was declared."""
        context, lowered = self.context, name.lower()
        if lowered in context.named:
            return name, context.named[lowered]
        found = context.catalog.find(name)
        if isinstance(found, DerivedStream):
            return found.name, found.plan
        if found is not None:
            return found.name, Scan(found, found.schema.names)
        if table := context.catalog.relations.get(lowered):
            return table.name, RelationScan(table, table.schema.names)
        raise self._unknown(name, tree)

    def _unknown(self, name: str, tree: exp.Table) -> UnknownName:
        catalog = self.context.catalog
        streams = [stream.name for stream in catalog.streams.values()]
        tables: list[Table] = list(catalog.relations.values())
        kinds = "streams and tables are" if tables else "streams are"
        return UnknownName(
            f"there is no stream{' or table' if tables else ''} '{name}'",
            self.context.place(tree.this),
            hint=suggest(name, [*streams, *(table.name for table in tables), *self.context.named], kinds),
        )

    def _exposed(self, node: Node, clause: WindowClause | None, name: str, tree: exp.Expr) -> Node:
        """Beside INTERNAL windows: the node with a column that tells when its tuples leave."""
        if (
            not self.internal
            or node.pattern is Pattern.MON
            or (clause and clause.internal)
            or _is_nrr(node)
        ):
            return node
        if isinstance(node, Window) and node.spec.extent is Extent.TIME:
            self.ends.append(f"__end{len(self.ends)}")
            return replace(node, exposed=self.ends[-1])
        if isinstance(node, Window):
            problem = "nobody can foresee when tuples leave a window of a number of them"
        else:
            problem = f"nobody can foresee how long the results of {name or 'this query'} last"
        hint = "make all windows INTERNAL, or this one a window of time"
        if (table := _table(node)) is not None:
            hint = f"leave INTERNAL out, or CREATE NRR {table.name}: its updates never reach back"
        raise Refused(
            f"beside INTERNAL windows, {problem}",
            clause.span if clause else self.context.place(tree),
            hint=hint,
        )

    def _told_apart(self, factor: Factor, shared: set[str]) -> Factor:
        """The factor with a name of its own for each column that others have, too."""
        (relation,) = factor.relations
        prefix = relation.name or "query"
        given = {
            each.name: self.names.fresh(f"{prefix}.{each.name}")
            for each in relation.schema
            if each.name.lower() in shared
        }
        if not given:
            return factor
        node = under_names(factor.node, [given.get(name, name) for name in factor.node.schema.names])
        provided = tuple(given.get(name, name) for name in relation.schema.names)
        return replace(factor, node=node, relations=(replace(relation, provided=provided),))


def check_steps(nodes: Sequence[Node], tree: exp.Expr, context: Context) -> None:
    """Refuse plans that take more steps than anybody could go through."""
    if sum(node.steps for node in nodes) > MOST_STEPS:
        raise Refused(
            f"the query takes more than {MOST_STEPS} steps",
            context.place(tree),
            hint="what is named twice is computed twice: name less, or join fewer",
        )


def with_column_names(node: Node, alias: exp.TableAlias, context: Context, hidden: int = 0) -> Node:
    """FROM s AS t(a, b): the first columns under other names; the last so many are hidden."""
    names, width = alias.columns, len(node.schema) - hidden
    if len(names) > width:
        raise Refused(
            f"{counted(len(names), 'name')} for {counted(width, 'column')}",
            context.place(names[width]),
            hint="name at most as many as there are",
        )
    given = [*(name.name for name in names), *node.schema.names[len(names) :]]
    return under_names(node, distinct_names(given))


def _of_arguments(tree: exp.Expr, schema: Schema) -> Mapping[str, Field]:
    """The results of aggregates without a name of their own, by the columns that they are of."""
    select = tree.this if isinstance(tree, exp.Subquery) else None
    if not isinstance(select, exp.Select) or len(select.expressions) != len(schema):
        return {}
    pairs = zip(select.expressions, schema, strict=True)
    calls = [
        (each.this.name.lower(), found)
        for each, found in pairs
        if isinstance(each, exp.AggFunc) and isinstance(each.this, exp.Column)
    ]
    names = [name for name, _ in calls]
    return {name: found for name, found in calls if names.count(name) == 1}


def relation_trees(tree: exp.Expr) -> Iterator[exp.Expr]:
    """The relations of a FROM, from left to right; what is in parentheses around a join, too."""
    inner = tree.this if isinstance(tree, exp.Subquery) else None
    if isinstance(inner, exp.Table | exp.Subquery) and inner.args.get("joins"):
        yield from relation_trees(inner)
    else:
        yield tree
    for join in tree.args.get("joins") or ():
        yield from relation_trees(join.this)


def _table(node: Node) -> Table | None:
    while isinstance(node, Project | Select):
        node = node.input
    return node.relation if isinstance(node, RelationScan) else None


def _is_nrr(node: Node) -> bool:
    table = _table(node)
    return table is not None and not table.retroactive


def under_names(node: Node, names: Sequence[str]) -> Node:
    """The same columns under other names."""
    if tuple(names) == node.schema.names:
        return node
    output = Schema(tuple(Field(name, each.type) for name, each in zip(names, node.schema, strict=True)))
    return Project(node, tuple(exp.column(name, quoted=True) for name in node.schema.names), output)
