"""How the tuples of an edge lie: anywhere, together by key, or all in one place.

A hash may have several names for a key: above a join on a = x, what lies by a lies by x.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from windrow.plan.exchange import Exchange
from windrow.plan.nodes import ANY, SINGLE, Distribution, Node, Passed, Union


@dataclass(frozen=True, slots=True)
class Placement:
    """Tuples that agree on the keys of a hash lie together."""

    kind: str = "any"
    keys: tuple[tuple[str, ...], ...] = ()
    """Of a hash, in its order: each the columns that hold the key, one or more, all equal."""

    @classmethod
    def by(cls, distribution: Distribution) -> Placement:
        """Where tuples lie that were sent there."""
        return cls(distribution.kind, tuple((key,) for key in distribution.keys))

    @property
    def distribution(self) -> Distribution:
        """What sends tuples to where these lie."""
        return Distribution(self.kind, tuple(names[0] for names in self.keys))

    def places(self, keys: Sequence[str]) -> tuple[frozenset[int], ...] | None:
        """For each key of this hash, where it is among others; None if one is missing there, or this
        is no hash."""
        wanted = [key.lower() for key in keys]
        found = tuple(
            frozenset(place for place, key in enumerate(wanted) if key in map(str.lower, names))
            for names in self.keys
        )
        return found if found and all(found) else None

    def __str__(self) -> str:
        return str(self.distribution)


ANYWHERE = Placement()
ONE_PLACE = Placement.by(SINGLE)


def lies(node: Node, inputs: Sequence[Placement]) -> Placement:
    """How the output of a node lies, whose inputs lie like this."""
    if isinstance(node, Exchange):
        return Placement.by(node.to)
    if inputs and all(placed == ONE_PLACE for placed in inputs):
        return ONE_PLACE
    through = zip(inputs, node.passes, strict=True)
    renamed = [_renamed(placed, passed, node.schema.names) for placed, passed in through]
    return _shared(renamed) if isinstance(node, Union) else _joined(renamed)


def placement(node: Node) -> Placement:
    """How the output of a node of a distributed plan lies."""
    return lies(node, [placement(each) for each in node.inputs])


def told(node: Node, wish: Distribution) -> tuple[Distribution, ...]:
    """What a wish for how the output lies means for each input: less, where it can't be told there."""
    return tuple(_below(wish, passed) for passed in node.passes)


def _below(wish: Distribution, passed: Passed) -> Distribution:
    if wish.kind != "hash":
        return wish
    keys = tuple(passed[key.lower()] for key in wish.keys if key.lower() in passed)
    return Distribution("hash", keys) if keys else ANY


def _renamed(placed: Placement, passed: Passed, names: Iterable[str]) -> Placement:
    """A placement in the words of the output."""
    there = [(name, passed[name.lower()].lower()) for name in names if name.lower() in passed]
    keys = tuple(
        tuple(name for name, origin in there if origin in map(str.lower, key)) for key in placed.keys
    )
    return Placement("hash", keys) if keys and all(keys) else ANYWHERE


def _shared(branches: Sequence[Placement]) -> Placement:
    """Equal tuples of different branches lie together only if all lie by the same columns."""
    if len({len(placed.keys) for placed in branches}) > 1:
        return ANYWHERE
    keys = tuple(
        tuple(name for name in first if all(name in names for names in others))
        for first, *others in zip(*(placed.keys for placed in branches), strict=True)
    )
    return Placement("hash", keys) if keys and all(keys) else ANYWHERE


def _joined(inputs: Sequence[Placement]) -> Placement:
    """Inputs that lie side by side: corresponding keys are equal in every result."""
    hashed = [placed.keys for placed in inputs if placed.keys]
    keys = tuple(tuple(dict.fromkeys(chain(*names))) for names in zip(*hashed, strict=True))
    return Placement("hash", keys) if keys else ANYWHERE
