"""From a query's tree to a plan: names resolved, types known, and nothing left that has no meaning."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from windrow.catalog import Catalog, DerivedStream
from windrow.errors import ParseError, Refused, Span, TypeMismatch, UnknownName
from windrow.language.names import counted, suggest
from windrow.language.ordering import check_order
from windrow.language.projection import Projection, project, renamed
from windrow.language.refusals import refuse_clauses
from windrow.language.scalars import check_scalar
from windrow.language.scope import Relation, Scope
from windrow.language.spans import span_of
from windrow.language.statements import Query
from windrow.language.timestamps import timestamp_positions
from windrow.language.tokens import Source, too_deep
from windrow.language.types import type_scalars
from windrow.language.unions import Branch, merge
from windrow.plan.nodes import DistinctInstant, Node, Scan, Select

__all__ = ["bind"]


def bind(query: Query, catalog: Catalog) -> Node:
    """The plan of a query over what the catalog knows; raises StatementError."""
    try:
        return _Binder(query.source, query.span, catalog).query(query.tree)
    except RecursionError:
        raise too_deep(query.span) from None


@dataclass(frozen=True)
class _Binder:
    """Binds the parts of one query."""

    source: Source
    span: Span
    catalog: Catalog

    def query(self, tree: exp.Expr) -> Node:
        refuse_clauses(tree, self._scope())
        if isinstance(tree, exp.Select):
            return self._select(tree)
        if isinstance(tree, exp.Union):
            return self._union(tree)
        if isinstance(tree, exp.Subquery):
            node = self.query(tree.this)
            self._check_order(tree, node, self._scope())
            return node
        raise self._no_query(tree)

    def _select(self, tree: exp.Select) -> Node:
        from_ = tree.args.get("from_")
        if from_ is None:
            raise Refused(
                "a query reads a stream, and this one has no FROM",
                self._place(tree),
                hint="name a stream in FROM",
            )
        input_, relation = self._relation(from_.this)
        scope = self._scope(relation)
        projection = Projection(scope).read(tree.expressions)
        named = replace(scope, aliases=projection.aliases)
        where = tree.args.get("where")
        chosen = self._where(where.this, input_, named) if where else input_
        node = project(chosen, projection.columns, named)
        self._check_order(tree, node, scope, input_)
        return node

    def _where(self, condition: exp.Expr, input_: Node, scope: Scope) -> Node:
        check_scalar(condition, scope)
        predicate = scope.resolve(condition)
        (field,) = type_scalars([predicate], input_.schema, scope.place)
        if field.type != "BOOLEAN":
            raise TypeMismatch(
                f"WHERE takes a condition, and this has type {field.type}",
                scope.place(condition),
                hint="compare it with something",
            )
        return Select(input_, predicate)

    def _relation(self, tree: exp.Expr) -> tuple[Node, Relation]:
        """What FROM names, and under which name."""
        refuse_clauses(tree, self._scope())
        if isinstance(tree, exp.Table) and isinstance(tree.this, exp.Identifier):
            name = ".".join(part.name for part in tree.parts)
            node = self._stream(name, tree)
        elif isinstance(tree, exp.Subquery):
            name = ""
            node = (
                self._relation(tree.this)[0] if isinstance(tree.this, exp.Table) else self.query(tree.this)
            )
            self._check_order(tree, node, self._scope())
        else:
            raise Refused(
                "FROM names a stream or holds a query",
                self._place(tree),
                hint="declare a source with CREATE STREAM",
            )
        alias = tree.args.get("alias")
        if alias is None:
            return node, Relation(name, node.schema)
        node = self._column_aliases(node, alias)
        return node, Relation(alias.name or name, node.schema)

    def _column_aliases(self, node: Node, alias: exp.TableAlias) -> Node:
        """FROM s AS t(a, b): the first columns under other names."""
        names = alias.columns
        if len(names) > len(node.schema):
            raise Refused(
                f"{counted(len(names), 'name')} for {counted(len(node.schema), 'column')}",
                self._place(names[len(node.schema)]),
                hint="name at most as many as there are",
            )
        kept = node.schema.names[len(names) :]
        return renamed(node, (*(name.name for name in names), *kept)) if names else node

    def _stream(self, name: str, tree: exp.Table) -> Node:
        found = self.catalog.find(name)
        if found is None:
            known = [stream.name for stream in self.catalog.streams.values()]
            raise UnknownName(
                f"there is no stream '{name}'",
                self._place(tree.this),
                hint=suggest(name, known, "streams are"),
            )
        return found.plan if isinstance(found, DerivedStream) else Scan(found, found.schema.names)

    def _union(self, tree: exp.Union) -> Node:
        """A chain of UNIONs, from the left. The last one without ALL covers all before it."""
        operations: list[exp.Union] = []
        left: exp.Expr = tree
        while isinstance(left, exp.Union):
            refuse_clauses(left, self._scope())
            operations.append(left)
            left = left.this
        operations.reverse()
        branches = [
            self._branch(part) for part in (left, *(operation.expression for operation in operations))
        ]
        distinct = [
            place for place, operation in enumerate(operations, 1) if operation.args.get("distinct")
        ]
        if distinct:
            covered = distinct[-1] + 1
            node = self._distinct(merge(branches[:covered]), operations[distinct[-1] - 1])
            branches = [Branch(node, branches[0].span), *branches[covered:]]
        node = merge(branches) if len(branches) > 1 else branches[0].node
        self._check_order(tree, node, self._scope())
        return node

    def _branch(self, tree: exp.Expr) -> Branch:
        return Branch(self.query(tree), self._place(tree))

    def _distinct(self, merged: Node, operation: exp.Union) -> Node:
        if not timestamp_positions(merged):
            raise Refused(
                "UNION drops duplicates of one instant, so its queries must give timestamps at one place",
                self._place(operation.expression),
                hint="add the timestamp column to each at the same place, or write UNION ALL",
            )
        return DistinctInstant(merged)

    def _check_order(self, tree: exp.Expr, node: Node, scope: Scope, input_: Node | None = None) -> None:
        if order := tree.args.get("order"):
            check_order(order, node, scope, input_)

    def _no_query(self, tree: exp.Expr) -> ParseError | Refused:
        for kind, name in ((exp.Except, "EXCEPT"), (exp.Intersect, "INTERSECT")):
            if isinstance(tree, kind):
                return Refused(
                    f"{name} needs to know the end of its inputs, and a stream has none",
                    self._place(tree.expression),
                    hint="choose tuples with WHERE",
                )
        return Refused(
            "this query does not read a stream", self._place(tree), hint="write SELECT … FROM a stream"
        )

    def _scope(self, *relations: Relation) -> Scope:
        return Scope(self.source, self.span, relations)

    def _place(self, tree: exp.Expr) -> Span:
        return span_of(tree, self.source, self.span)
