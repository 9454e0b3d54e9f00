"""Inputs put together: in what order they are joined, by which keys and conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from sqlglot import exp

from windrow.errors import Refused
from windrow.language.bounds import grows
from windrow.language.conditions import (
    Equality,
    as_type,
    columns_of,
    conjunction,
    equality,
    key_type,
    with_columns,
)
from windrow.language.context import Context, Names
from windrow.language.lookups import Lookup
from windrow.language.scope import Relation
from windrow.language.sources import Factor
from windrow.plan.emitting import windows_of
from windrow.plan.joins import Join, Keys, Negation, RelationJoin, SemiJoin
from windrow.plan.nodes import Node, Select, scans
from windrow.plan.patterns import Pattern
from windrow.schema import Field

Outer: TypeAlias = Literal["left", "right", "full"]


@dataclass
class Group:
    """Inputs of inner joins, in any order, and what has to hold of them."""

    factors: list[Factor]
    conditions: list[exp.Expr] = field(default_factory=list)
    """Resolved, one by one."""

    @property
    def relations(self) -> tuple[Relation, ...]:
        return tuple(relation for factor in self.factors for relation in factor.relations)


@dataclass(frozen=True)
class Joiner:
    """Joins inputs within one SELECT."""

    context: Context
    names: Names

    def half(self, left: Factor, right: Factor, conditions: Sequence[exp.Expr], anti: bool) -> Factor:
        """The left tuples with a partner on the right, or those without."""
        if right.is_nrr and scans(left.node):
            return self._half_with_nrr(left, right, conditions, anti=anti)
        self._check_half(left, right)
        one, other, keys, condition = self.keyed(left, right, conditions)
        kind = Negation if anti else SemiJoin
        return replace(left, node=kind(one, other, keys, condition))

    def not_in(self, left: Factor, right: Factor, conditions: Sequence[exp.Expr]) -> Factor:
        """The left tuples that differ from all on the right; the first condition is a key, and says what
        is compared."""
        if right.is_nrr and scans(left.node):
            return self._half_with_nrr(left, right, conditions, anti=True, null_aware=True)
        self._check_half(left, right)
        one, other, keys, condition = self.keyed(left, right, conditions)
        return replace(left, node=Negation(one, other, keys, condition, null_aware=True))

    def is_key(self, left: Factor, right: Factor, condition: exp.Expr) -> bool:
        """Whether a condition equates columns of the two sides."""
        return self._equality(left.node, right.node, condition) is not None

    def outer(self, left: Factor, right: Factor, conditions: list[exp.Expr], kind: Outer) -> Factor:
        own = {"left": right, "right": left, "full": None}[kind]
        pushed = [] if own is None else [each for each in conditions if _is_of(each, own)]
        rest = [each for each in conditions if not any(each is other for other in pushed)]
        if own is left:
            left = _chosen(left, pushed)
        elif own is right:
            right = _chosen(right, pushed)
        relations = (*left.relations, *right.relations)
        if kind == "left" and right.is_table and scans(left.node):
            return self._with_table(left, right, rest, "left")
        for side, other_side in ((left, right), (right, left)):
            if side.is_nrr and scans(other_side.node):
                raise self._misplaced_nrr(side)
        self.check_bounded(left, right)
        one, other, keys, condition = self.keyed(left, right, rest)
        return Factor(Join(one, other, keys, condition, kind), relations, left.span)

    def build(self, group: Group) -> Factor:
        """All inner joins of a group: streams first, then NRRs, then tables whose updates reach back."""
        conditions = list(group.conditions)
        factors = []
        for factor in group.factors:
            own = [each for each in conditions if _is_of(each, factor)]
            conditions = [each for each in conditions if not any(each is other for other in own)]
            factors.append(_chosen(factor, own))
        streams = [each for each in factors if not each.is_table]
        nrrs = [each for each in factors if each.is_nrr]
        tables = [each for each in factors if each.is_table and not each.is_nrr]
        waiting = self._early(streams, nrrs, conditions) + tables
        order = streams or [waiting.pop(0)]
        left, remaining = order[0], order[1:]
        while remaining or waiting:
            pool = remaining or waiting
            right = _next(left, pool, conditions)
            pool.remove(right)
            left = self._inner(left, right, conditions)
        return _chosen(replace(left, relations=group.relations), conditions)

    def _early(self, streams: list[Factor], nrrs: list[Factor], conditions: list[exp.Expr]) -> list[Factor]:
        """Join NRRs with streams at once where all streams together would be strict; the other NRRs."""
        if len(streams) < 2 or all(each.node.pattern is not Pattern.STR for each in streams):
            return nrrs
        waiting = []
        places = sorted(range(len(streams)), key=lambda place: streams[place].node.pattern is Pattern.STR)
        for nrr in nrrs:
            for place in places:
                left = list(conditions)
                if not _key_conditions(streams[place], nrr, left):
                    continue
                try:
                    streams[place] = self._inner(streams[place], nrr, left)
                except Refused:
                    continue
                conditions[:] = left
                break
            else:
                waiting.append(nrr)
        return waiting

    def _inner(self, left: Factor, right: Factor, conditions: list[exp.Expr]) -> Factor:
        """The join of two factors by the conditions that now can be told; these are taken away."""
        names = {*left.node.schema.names, *right.node.schema.names}
        ready = [each for each in conditions if columns_of(each) and columns_of(each) <= names]
        conditions[:] = [each for each in conditions if not any(each is other for other in ready)]
        if right.is_table and scans(left.node):
            return self._with_table(left, right, ready, "inner")
        self.check_bounded(left, right)
        one, other, keys, condition = self.keyed(left, right, ready)
        return Factor(Join(one, other, keys, condition), (*left.relations, *right.relations), left.span)

    def _with_table(
        self, left: Factor, table: Factor, conditions: list[exp.Expr], kind: Literal["inner", "left"]
    ) -> Factor:
        self._check_reach(left, table)
        one, other, keys, condition = self.keyed(left, table, conditions)
        if table.is_nrr:
            node = Lookup(one, other, keys, condition).joined(kind)
        else:
            node = RelationJoin(one, other, keys, condition, kind)
        if node is None:
            raise self._misplaced_nrr(table)
        return Factor(node, (*left.relations, *table.relations), left.span)

    def keyed(
        self, left: Factor, right: Factor, conditions: Sequence[exp.Expr]
    ) -> tuple[Node, Node, Keys, exp.Expr | None]:
        """Both inputs with the columns that are their keys, and the condition beyond these."""
        one, other = left.node, right.node
        computed: tuple[list[tuple[exp.Expr, Field]], ...] = ([], [])
        keys: list[tuple[str, str]] = []
        rest: list[exp.Expr] = []
        place = self.context.place
        for condition in conditions:
            found = self._equality(one, other, condition)
            if found is None:
                rest.append(condition)
                continue
            sides, type_ = found
            pair = []
            for node, expression, added in zip(
                (one, other), (sides.left, sides.right), computed, strict=True
            ):
                typed = as_type(expression, type_, node.schema, place)
                if isinstance(typed, exp.Column):
                    pair.append(typed.name)
                    continue
                name = self.names.fresh("key")
                added.append((typed, Field(name, type_)))
                pair.append(name)
            keys.append((pair[0], pair[1]))
        one, other = with_columns(one, computed[0]), with_columns(other, computed[1])
        return one, other, tuple(dict.fromkeys(keys)), conjunction(rest)

    def _equality(self, left: Node, right: Node, condition: exp.Expr) -> tuple[Equality, str] | None:
        """A condition as an equality of two sides, and the type as which they are compared."""
        sides = equality(condition, left.schema.names, right.schema.names)
        if sides is None:
            return None
        type_ = key_type(sides, left.schema, right.schema, self.context.place)
        return None if type_ is None else (sides, type_)

    def _half_with_nrr(
        self,
        left: Factor,
        nrr: Factor,
        conditions: Sequence[exp.Expr],
        *,
        anti: bool,
        null_aware: bool = False,
    ) -> Factor:
        node = Lookup(*self.keyed(left, nrr, conditions)).halved(anti=anti, null_aware=null_aware)
        if node is None:
            raise self._misplaced_nrr(nrr)
        return replace(left, node=node)

    def _check_half(self, left: Factor, right: Factor) -> None:
        if left.is_nrr and scans(right.node):
            raise self._misplaced_nrr(left)
        self._check_reach(left, right)
        for factor in (left, right):
            if any(window.internal for window in windows_of(factor.node)):
                raise Refused(
                    f"INTERNAL lets results of {factor.name} stay,"
                    " but whether a tuple has a partner does not stay the same",
                    factor.span,
                    hint="leave INTERNAL out; Istream(…) around the SELECT list makes the answer a stream",
                )
        self.check_bounded(left, right)

    def _check_reach(self, left: Factor, right: Factor) -> None:
        """Refuse to remember a stream for ever for the sake of a table that is not an NRR."""
        table = right.table
        if table and table.retroactive and grows(left.node) and not self.context.allow_unbounded:
            raise Refused(
                f"updates of {right.name} reach back to all tuples of {left.name}, which has no end",
                left.span,
                hint=f"give it a window, as {left.name} [RANGE 10 MINUTES], or CREATE NRR {table.name}: "
                "its updates never reach back",
            )

    def check_bounded(self, *factors: Factor) -> None:
        """Refuse to remember a stream for ever."""
        for factor in factors:
            if grows(factor.node) and not self.context.allow_unbounded:
                raise Refused(
                    f"this would keep all tuples of {factor.name} for ever",
                    factor.span,
                    hint=f"give it a window, as {factor.name} [RANGE 10 MINUTES], "
                    "or SET allow_unbounded = true",
                )

    def _misplaced_nrr(self, factor: Factor) -> Refused:
        return Refused(
            f"{factor.name} answers tuples as they come, and cannot take them back",
            factor.span,
            hint="join it with the stream itself in a query in FROM, below what takes results back",
        )


def _is_of(condition: exp.Expr, factor: Factor) -> bool:
    named = columns_of(condition)
    return bool(named) and named <= set(factor.node.schema.names)


def _chosen(factor: Factor, conditions: Sequence[exp.Expr]) -> Factor:
    """Those tuples of a factor for which some conditions hold."""
    whole = conjunction(conditions)
    return factor if whole is None else replace(factor, node=Select(factor.node, whole))


def _key_conditions(left: Factor, right: Factor, conditions: Sequence[exp.Expr]) -> list[exp.Expr]:
    names = left.node.schema.names, right.node.schema.names
    return [each for each in conditions if equality(each, *names)]


def _next(left: Factor, pool: Sequence[Factor], conditions: Sequence[exp.Expr]) -> Factor:
    """The first of some factors that an equality joins with what is there; else just the first."""
    for factor in pool:
        if _key_conditions(left, factor, conditions):
            return factor
    return pool[0]
