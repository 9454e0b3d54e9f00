"""Steps that bring tuples of two inputs together: joins, negation, and joins with relations.

Rule 3 of update patterns (thesis 3.5.1): a join of windows is WK, STR if an input is. Rule 4:
negation, and what updates of a relation can reach back to, is STR.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal, TypeAlias

from sqlglot import exp

from windrow.catalog import Relation
from windrow.plan.nodes import SINGLE, Binary, Distribution, Leaf, Node, Passed, Unary, sql_of
from windrow.plan.patterns import Pattern
from windrow.schema import Schema

Keys: TypeAlias = tuple[tuple[str, str], ...]
"""Columns of the left and the right input that have to be equal; of the same type."""


def weak(inputs: Iterable[Node]) -> Pattern:
    """The pattern of a weak non-monotonic step, such as a join: rule 3. Over streams that never
    expire, its results do not either."""
    hardest = max(node.pattern for node in inputs)
    return Pattern.WK if hardest is Pattern.WKS else hardest


def telling(pattern: Pattern, tells_ends: bool) -> Pattern:
    """The pattern of a step, or of one that tells the ends that others would foresee."""
    return Pattern.STR if tells_ends and pattern is not Pattern.MON else pattern


@dataclass(frozen=True)
class _Matching(Binary):
    """Tuples of two inputs that agree on keys, and on a condition beyond them."""

    keys: Keys
    condition: exp.Expr | None
    """Over the columns of both inputs; None if the keys say it all."""

    def __post_init__(self) -> None:
        names = [name.lower() for name in (*self.left.schema.names, *self.right.schema.names)]
        if len(set(names)) < len(names):
            raise ValueError("the columns of the inputs of a join need different names")

    @property
    def distributions(self) -> tuple[Distribution, ...]:
        if not self.keys:
            return SINGLE, SINGLE
        left, right = zip(*self.keys, strict=True)
        return Distribution("hash", left), Distribution("hash", right)

    @property
    def detail(self) -> str:
        parts = [f"{left} = {right}" for left, right in self.keys]
        if self.condition is not None:
            parts.append(sql_of(self.condition))
        return " AND ".join(parts)


@dataclass(frozen=True)
class Join(_Matching):
    """Pairs of live tuples; of an outer join, also the tuples that have no partner now."""

    label: ClassVar[str] = "Join"
    kind: Literal["inner", "left", "right", "full"] = "inner"
    tells_ends: bool = field(default=False, kw_only=True)
    """The ends of results are told by negative tuples, though they could be foreseen."""

    @cached_property
    def schema(self) -> Schema:
        return Schema((*self.left.schema, *self.right.schema))

    @cached_property
    def pattern(self) -> Pattern:
        """Of an outer join STR: nobody can foresee that a lonely tuple finds a partner."""
        return telling(weak(self.inputs), self.tells_ends) if self.kind == "inner" else Pattern.STR

    @cached_property
    def passes(self) -> tuple[Passed, ...]:
        """A tuple without a partner has NULLs in its place."""
        left, right = super().passes
        return (
            left if self.kind in ("inner", "left") else {},
            right if self.kind in ("inner", "right") else {},
        )

    @property
    def detail(self) -> str:
        kind = "" if self.kind == "inner" else f"{self.kind} "
        ends = " telling ends" if self.tells_ends else ""
        return f"{kind}{super().detail or 'each with each'}{ends}"


@dataclass(frozen=True)
class SemiJoin(_Matching):
    """EXISTS and IN: the left tuples that have a partner now."""

    label: ClassVar[str] = "SemiJoin"

    @cached_property
    def schema(self) -> Schema:
        return self.left.schema

    @cached_property
    def pattern(self) -> Pattern:
        """STR where partners leave: nobody can foresee that another comes before."""
        return Pattern.MON if all(each.pattern is Pattern.MON for each in self.inputs) else Pattern.STR


@dataclass(frozen=True)
class Negation(_Matching):
    """NOT EXISTS and NOT IN: the left tuples that have no partner now."""

    label: ClassVar[str] = "Negation"
    null_aware: bool = False
    """NOT IN: a NULL on either side makes the answer unknown, so the tuple is not given. The first of the
    keys are the values compared; other keys and the condition say which right tuples are looked among."""

    @property
    def distributions(self) -> tuple[Distribution, ...]:
        """A NULL concerns the tuples of all keys, so only one place can do NOT IN."""
        return (SINGLE, SINGLE) if self.null_aware else super().distributions

    @cached_property
    def schema(self) -> Schema:
        return self.left.schema

    @property
    def pattern(self) -> Pattern:
        return Pattern.STR

    @property
    def detail(self) -> str:
        return f"{super().detail}{' (NOT IN)' if self.null_aware else ''}"


@dataclass(frozen=True)
class RelationScan(Leaf):
    """The rows of a relation, which updates change at any time."""

    label: ClassVar[str] = "RelationScan"
    relation: Relation
    columns: tuple[str, ...]

    @property
    def origins(self) -> tuple[str, ...]:
        return (self.relation.name,)

    @property
    def schema(self) -> Schema:
        return self.relation.schema.keep(self.columns)

    @property
    def pattern(self) -> Pattern:
        """Also of an NRR: by itself it is a table, and only joins with it do not look back."""
        return Pattern.STR

    @property
    def detail(self) -> str:
        return f"{self.relation.name}{'' if self.relation.retroactive else ' (NRR)'}"


@dataclass(frozen=True)
class RelationJoin(_Matching):
    """Tuples, each with the rows of a relation that match.

    Of a retroactive relation, updates give and take back results of tuples that came before. Of an
    NRR, a tuple meets the rows of its own instant, and that is that: results live as the tuple does.
    """

    label: ClassVar[str] = "RelationJoin"
    kind: Literal["inner", "left"] = "inner"
    retroactive: bool = True
    """False: the relation is an NRR."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_relation(self, retroactive=self.retroactive)

    @cached_property
    def schema(self) -> Schema:
        return Schema((*self.left.schema, *self.right.schema))

    @cached_property
    def pattern(self) -> Pattern:
        return Pattern.STR if self.retroactive else self.left.pattern

    @property
    def lifetime(self) -> int | None:
        return self.left.lifetime if self.pattern is Pattern.WKS else None

    @cached_property
    def passes(self) -> tuple[Passed, ...]:
        """A tuple that no row matches has NULLs in the row's place."""
        left, right = super().passes
        return left, right if self.kind == "inner" else {}

    @property
    def detail(self) -> str:
        return f"{'left ' if self.kind == 'left' else ''}{super().detail or 'each with each'}"


@dataclass(frozen=True)
class RelationHalfJoin(_Matching):
    """EXISTS and IN of an NRR: the tuples that found a row when they came, or those that found none."""

    label: ClassVar[str] = "RelationHalfJoin"
    anti: bool = False
    null_aware: bool = False
    """NOT IN, as of a Negation."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_relation(self, retroactive=False)

    @cached_property
    def distributions(self) -> tuple[Distribution, ...]:
        return (SINGLE, SINGLE) if self.null_aware else super().distributions

    @property
    def schema(self) -> Schema:
        return self.left.schema

    @property
    def pattern(self) -> Pattern:
        return self.left.pattern

    @property
    def detail(self) -> str:
        if self.null_aware:
            return f"not in {super().detail}"
        return f"{'without' if self.anti else 'with'} {super().detail}".rstrip()


Matching: TypeAlias = Join | SemiJoin | Negation | RelationJoin | RelationHalfJoin
"""Steps that bring tuples of two inputs together."""


def _check_relation(node: Binary, *, retroactive: bool) -> None:
    """Refuse a step that has not the rows of a relation of that kind on its right."""
    if node.left.pattern is Pattern.STR and not retroactive:
        raise ValueError("a join with an NRR cannot take negative tuples")
    leaf = node.right
    while isinstance(leaf, Unary) and not leaf.keeps_state:
        leaf = leaf.input
    if node.right.pattern is not Pattern.STR or leaf.keeps_state:
        raise ValueError("a join with a relation has the relation on its right")
    if isinstance(leaf, RelationScan) and leaf.relation.retroactive != retroactive:
        raise ValueError("a join is retroactive as its relation is")
