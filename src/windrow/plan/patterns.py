"""Update patterns of plan edges: when, and how predictably, results stop counting."""

from __future__ import annotations

from enum import IntEnum


class Pattern(IntEnum):
    """Ordered from simple to hard; an operator's output is at least as hard as its inputs."""

    MON = 0
    """Monotonic: results never expire."""
    WKS = 1
    """Weakest non-monotonic: all lifetimes equal, first in, first out."""
    WK = 2
    """Weak non-monotonic: lifetimes known when generated, but unequal."""
    STR = 3
    """Strict non-monotonic: some results end at a time nobody can foresee."""
