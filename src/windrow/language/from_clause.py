"""FROM taken apart: commas and JOINs, ON and USING, down to the relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from windrow.errors import Refused, UnknownName
from windrow.language.conditions import conjuncts
from windrow.language.context import Context, NotIncremental
from windrow.language.joining import Group, Joiner, Outer
from windrow.language.names import suggest
from windrow.language.predicates import resolved_condition
from windrow.language.scope import Relation
from windrow.language.sources import Factor, Sources, relation_trees

_KINDS = frozenset({"", "INNER", "CROSS", "OUTER", "SEMI", "ANTI"})


@dataclass(frozen=True)
class FromClause:
    """Reads the FROM of one SELECT; outer joins are built at once, inner ones stay open."""

    context: Context
    sources: Sources
    joiner: Joiner
    factors: dict[int, Factor] = field(default_factory=dict)
    """What was made of a tree, by the tree's identity."""

    def read(self, select: exp.Select) -> Group:
        """What FROM holds, inner joins still open."""
        first = select.args["from_"].this
        joins: list[exp.Join] = select.args.get("joins") or []
        trees = [each for tree in (first, *(join.this for join in joins)) for each in relation_trees(tree)]
        factors = self.sources.read(trees)
        self._check_names(factors)
        self.factors.update(zip(map(id, trees), factors, strict=True))
        return self._group(first, joins)

    def _check_names(self, factors: Sequence[Factor]) -> None:
        seen: set[str] = set()
        for factor in factors:
            name = factor.relations[0].name
            if name and name.lower() in seen:
                raise Refused(
                    f"FROM names two relations {name}",
                    factor.span,
                    hint="give one of them another name with AS",
                )
            seen.add(name.lower())

    def _group(self, first: exp.Expr, joins: Sequence[exp.Join]) -> Group:
        """Relations with commas between them; each may begin a chain of joins."""
        done = Group([])
        chain = self._single(first)
        for join in joins:
            if _is_comma(join):
                done.factors += chain.factors
                done.conditions += chain.conditions
                chain = self._single(join.this)
            else:
                chain = self._joined(chain, join)
        return Group(done.factors + chain.factors, done.conditions + chain.conditions)

    def _single(self, tree: exp.Expr) -> Group:
        if id(tree) in self.factors:
            chain = Group([self.factors[id(tree)]])
        else:
            if tree.args.get("alias") or tree.meta.get("window"):
                raise Refused(
                    "a join in parentheses has no name and no window of its own",
                    self.context.place(tree),
                    hint="put a query into the parentheses: (SELECT * FROM …)",
                )
            chain = self._group(tree.this, [])
        for join in tree.args.get("joins") or ():
            chain = self._joined(chain, join)
        return chain

    def _joined(self, left: Group, join: exp.Join) -> Group:
        joiner = self.joiner
        kind = (join.args.get("kind") or "").upper()
        method = (join.args.get("method") or "").upper()
        if kind not in _KINDS or method not in ("", "NATURAL"):
            raise NotIncremental(f"{method or kind} JOIN")
        right = self._single(join.this)
        right, conditions, merged = self._conditions(left, right, join, natural=method == "NATURAL")
        side = (join.args.get("side") or "").lower()
        if kind in ("SEMI", "ANTI"):
            return Group([joiner.half(joiner.build(left), joiner.build(right), conditions, kind == "ANTI")])
        if side == "":
            return Group(left.factors + right.factors, left.conditions + right.conditions + conditions)
        if side == "full" and merged:
            raise NotIncremental("FULL JOIN … USING")
        kind_: Outer = "left" if side == "left" else "right" if side == "right" else "full"
        return Group([joiner.outer(joiner.build(left), joiner.build(right), conditions, kind_)])

    def _conditions(
        self, left: Group, right: Group, join: exp.Join, natural: bool
    ) -> tuple[Group, list[exp.Expr], frozenset[str]]:
        """What ON or USING demand; the right side with the columns that USING merges marked."""
        names = [each.name for each in join.args.get("using") or ()]
        if natural:
            names = _common(left.relations, right.relations)
        conditions: list[exp.Expr] = []
        for name in names:
            sides = [self._using(name, group, join) for group in (left, right)]
            conditions.append(exp.EQ(this=sides[0], expression=sides[1]))
        merged = frozenset(column.expression.meta["visible"] for column in conditions)
        if merged:
            right = Group([_merging(factor, merged) for factor in right.factors], right.conditions)
        if on := join.args.get("on"):
            if on.find(exp.Query):
                raise NotIncremental("a query in ON")
            scope = self.context.scope(*left.relations, *right.relations)
            schema = [each for factor in (*left.factors, *right.factors) for each in factor.node.schema]
            conditions += conjuncts(resolved_condition(on, scope, schema, "ON"))
        return right, conditions, merged

    def _using(self, name: str, group: Group, join: exp.Join) -> exp.Column:
        for relation in group.relations:
            found = relation.schema.find(name)
            if found is not None and found.name not in relation.merged:
                return relation.column(found)
        known = [each.name for relation in group.relations for each in relation.schema]
        raise UnknownName(
            f"USING names '{name}', which only one side of the join has",
            self.context.place(join.args["using"][0]),
            hint=suggest(name, known, "the other has"),
        )


def _is_comma(join: exp.Join) -> bool:
    return not any(join.args.get(key) for key in ("kind", "side", "method", "on", "using"))


def _common(left: Sequence[Relation], right: Sequence[Relation]) -> list[str]:
    """The columns of both sides, as NATURAL JOIN takes them."""
    theirs = {each.name.lower() for relation in right for each in relation.schema}
    ours = (each.name for relation in left for each in relation.schema)
    return [name for name in dict.fromkeys(ours) if name.lower() in theirs]


def _merging(factor: Factor, merged: frozenset[str]) -> Factor:
    relations = tuple(
        replace(relation, merged=relation.merged | (merged & frozenset(relation.schema.names)))
        for relation in factor.relations
    )
    return replace(factor, relations=relations)
