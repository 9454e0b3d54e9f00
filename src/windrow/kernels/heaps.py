"""Pairing heaps: of each group the greatest of values that come and go in no foreseen order.

`roots` has the top of each group's heap. `nodes` has, by node, its first child, its next sibling and what
stands before it: its parent, or the sibling whose next one it is. -1 is none.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.extremes import THERE, VALUE
from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]

_READ = "Array(int64, 1, 'C', True)"
_SIGNS = "Array(int8, 1, 'C', True)"

NONE = -1
CHILD, NEXT, BEFORE = range(3)


@kernel("int64(int64, int64, int64[:, ::1], int64[::1])")
def meld(one: int, other: int, nodes: Ints, values: Ints) -> int:
    """The top of two heaps made one."""
    if one == NONE:
        return other
    if other == NONE:
        return one
    if values[one] < values[other]:
        one, other = other, one
    child = nodes[one, CHILD]
    nodes[other, NEXT], nodes[other, BEFORE] = child, one
    if child != NONE:
        nodes[child, BEFORE] = other
    nodes[one, CHILD] = other
    return one


@kernel("int64(int64, int64[:, ::1], int64[::1])")
def orphaned(child: int, nodes: Ints, values: Ints) -> int:
    """The top of one heap made of siblings: melded in pairs, and the pairs from the last to the first."""
    pairs = NONE
    while child != NONE:
        one, other = child, nodes[child, NEXT]
        child = NONE if other == NONE else nodes[other, NEXT]
        nodes[one, NEXT] = nodes[one, BEFORE] = NONE
        if other != NONE:
            nodes[other, NEXT] = nodes[other, BEFORE] = NONE
        pair = meld(one, other, nodes, values)
        nodes[pair, NEXT] = pairs
        pairs = pair
    top = NONE
    while pairs != NONE:
        following = nodes[pairs, NEXT]
        nodes[pairs, NEXT] = NONE
        top = meld(top, pairs, nodes, values)
        pairs = following
    return top


@kernel("void(int64[::1], int64, int64, int64[:, ::1], int64[::1])")
def put_in(roots: Ints, group: int, node: int, nodes: Ints, values: Ints) -> None:
    nodes[node, CHILD] = nodes[node, NEXT] = nodes[node, BEFORE] = NONE
    roots[group] = meld(roots[group], node, nodes, values)


@kernel("void(int64[::1], int64, int64, int64[:, ::1], int64[::1])")
def take_out(roots: Ints, group: int, node: int, nodes: Ints, values: Ints) -> None:
    children = orphaned(nodes[node, CHILD], nodes, values)
    if roots[group] == node:
        roots[group] = children
        return
    before, behind = nodes[node, BEFORE], nodes[node, NEXT]
    if nodes[before, CHILD] == node:
        nodes[before, CHILD] = behind
    else:
        nodes[before, NEXT] = behind
    if behind != NONE:
        nodes[behind, BEFORE] = before
    roots[group] = meld(roots[group], children, nodes, values)


@kernel(f"void({_READ}, {_READ}, int64[::1], int64[:, ::1], int64[::1])")
def put_all_in(groups: Ints, members: Ints, roots: Ints, nodes: Ints, values: Ints) -> None:
    """Put nodes into their groups' heaps."""
    for place in range(members.shape[0]):
        put_in(roots, groups[place], members[place], nodes, values)


@kernel(
    f"void({_READ}, {_SIGNS}, {_READ}, {_READ}, {_READ},"
    " int64[::1], int64[:, ::1], int64[::1], int64[:, ::1])"
)
def keep_heaps(
    rows: Ints,
    signs: Signs,
    moments: Ints,
    groups: Ints,
    which: Ints,
    roots: Ints,
    nodes: Ints,
    values: Ints,
    noted: Ints,
) -> None:
    """The heap of each group as nodes come and go, and its top after each moment."""
    for event in range(rows.shape[0]):
        row, moment = rows[event], moments[event]
        group = groups[row]
        if signs[event] > 0:
            put_in(roots, group, which[row], nodes, values)
        elif signs[event] < 0:
            take_out(roots, group, which[row], nodes, values)
        if moment >= 0:
            noted[moment, THERE] = roots[group] != NONE
            noted[moment, VALUE] = 0 if roots[group] == NONE else values[roots[group]]
