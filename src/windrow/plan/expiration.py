"""How steps learn that tuples have ended: a strategy, chosen for a whole query (SET expiration).

All strategies give the same answers. They differ in what goes over the edges of a plan, in what the
steps have to look at, and so in work and in delay.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar

from windrow.plan.joins import Join, RelationHalfJoin, RelationJoin
from windrow.plan.nodes import Node, Project, Select, Unary
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Append, Window


class Expiration(Enum):
    """The strategies."""

    UPA = "upa"
    """Update-pattern-aware (thesis 3.5): ends are known beforehand wherever they can be, each step keeps
    what it must in a buffer that suits the pattern, and the clock comes with the tuples."""
    NEGATIVE = "negative"
    """Negative tuples (thesis 2.3.3, nile 3.2): each window is kept at the bottom of the plan, and tells
    every end by a negative tuple, which all steps above take part in."""
    DIRECT = "direct"
    """Direct (thesis 2.3.3): ends are known beforehand, and what is kept in the order of arrival is
    scanned for them."""
    INPUT_TRIGGERED = "input_triggered"
    """Input-triggered (nile 3.1): as upa, but steps learn the time only from the tuples that reach them."""
    TIME_MESSAGE = "time_message"
    """Time-messages (nile 5.2): as input-triggered, and where the end of a result passes a step, the step
    sends on a message with the time."""
    PIGGYBACK = "piggyback"
    """Piggybacking (nile 6): as with time-messages, but one that has not been read yet gives way to what
    is sent after it, which tells the time in its place."""


@dataclass(frozen=True)
class Expire(Unary):
    """A window of time that tells every end by a negative tuple; nile's EXPIRE. It stands above what
    selects and projects, so that it keeps, and tells the ends of, only what the rest of the plan needs."""

    label: ClassVar[str] = "Expire"

    @property
    def pattern(self) -> Pattern:
        return Pattern.STR


def expiring(plan: Node, how: Expiration) -> Node:
    """An optimised plan, changed so that ends are told in the way of a strategy."""
    if how is Expiration.UPA:
        return plan
    plan = _foreseen(plan)
    if how is Expiration.NEGATIVE:
        return _told(plan)
    return _scanned(plan) if how is Expiration.DIRECT else plan


def _foreseen(node: Node) -> Node:
    """A plan whose joins leave it to others to tell ends: only upa goes back to what they keep."""
    node = node.over(*map(_foreseen, node.inputs))
    return replace(node, tells_ends=False) if isinstance(node, Join) and node.tells_ends else node


def _told(node: Node) -> Node:
    """A plan above whose windows all ends are told by negative tuples."""
    if isinstance(node, Append) and _is_window(node.input):
        return node.over(_below(node.input))
    if _is_window(node):
        return Expire(_below(node))
    told = node.over(*map(_told, node.inputs))
    return told.input if isinstance(told, Expire) and told.input.pattern is Pattern.STR else told


def _is_window(node: Node) -> bool:
    """Whether it is a window of time and what passes its tuples on one by one.

    A join with an NRR does: it cannot take negative tuples, because the row that a tuple was paired with
    may have changed since.
    """
    if node.pattern not in (Pattern.WKS, Pattern.WK):
        return False
    if isinstance(node, RelationJoin | RelationHalfJoin | Window):
        return True
    return isinstance(node, Select | Project) and _is_window(node.input)


def _below(node: Node) -> Node:
    """A window and what passes its tuples on, above the same plan with negative tuples."""
    if isinstance(node, Window):
        return node.over(_told(node.input))
    return node.over(*map(_below, node.inputs)) if isinstance(node, Select | Project) else node


def _scanned(node: Node) -> Node:
    """A plan whose steps scan what they keep."""
    return replace(node.over(*map(_scanned, node.inputs)), scanned=True)
