"""Netting: of equal tuples that come and go at one instant, only the balance stays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]
Hashes = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]


@kernel(
    "boolean[::1](Array(int64, 1, 'C', True), Array(uint64, 1, 'C', True), Array(int8, 1, 'C', True),"
    " int64)"
)
def may_cancel(ts: Ints, hashes: Hashes, sign: Signs, most: int) -> Mask:
    """Which tuples have the hash of one of their instant with the other sign. They are in time order, and
    at most so many are of one instant."""
    found = np.zeros(ts.shape[0], np.bool_)
    length = 4
    while length < 2 * most:
        length *= 2
    instants, keys = np.full(length, -1, np.int64), np.empty(length, np.uint64)
    signs = np.empty(length, np.int8)
    start = 0
    while start < ts.shape[0]:
        end = start
        while end < ts.shape[0] and ts[end] == ts[start]:
            end += 1
        mask = 3
        while mask + 1 < 2 * (end - start):
            mask = 2 * mask + 1
        # The first tuple of each hash is in a table that begins anew with each instant; `signs` is 0 where
        # both signs were seen.
        for place in range(start, end):
            slot = np.int64(hashes[place] & np.uint64(mask))
            while instants[slot] == start and keys[slot] != hashes[place]:
                slot = (slot + 1) & mask
            if instants[slot] != start:
                instants[slot], keys[slot], signs[slot] = start, hashes[place], sign[place]
            elif signs[slot] != sign[place]:
                signs[slot] = 0
        for place in range(start, end):
            slot = np.int64(hashes[place] & np.uint64(mask))
            while keys[slot] != hashes[place]:
                slot = (slot + 1) & mask
            found[place] = signs[slot] == 0
        start = end
    return found


@kernel("int64[::1](Array(int64, 1, 'C', True), Array(int8, 1, 'C', True), Array(boolean, 1, 'C', True))")
def ends_first(ts: Ints, sign: Signs, kept: Mask) -> Ints:
    """The places of the tuples that are kept, of one instant those that end before those that begin."""
    places, count, start = np.empty(ts.shape[0], np.int64), 0, 0
    while start < ts.shape[0]:
        end = start
        while end < ts.shape[0] and ts[end] == ts[start]:
            if kept[end] and sign[end] < 0:
                places[count] = end
                count += 1
            end += 1
        for place in range(start, end):
            if kept[place] and sign[place] > 0:
                places[count] = place
                count += 1
        start = end
    return places[:count]


@kernel(
    "boolean[::1](Array(int64, 1, 'C', True), Array(int64, 1, 'C', True), Array(int8, 1, 'C', True), int64)"
)
def balance(ts: Ints, codes: Ints, sign: Signs, capacity: int) -> Mask:
    """Which tuples stay. They are in time order, and equal ones have equal codes below the capacity."""
    kept = np.zeros(ts.shape[0], np.bool_)
    due = np.zeros(capacity, np.int64)
    start = 0
    while start < ts.shape[0]:
        end = start
        while end < ts.shape[0] and ts[end] == ts[start]:
            due[codes[end]] += sign[end]
            end += 1
        for place in range(start, end):
            if due[codes[place]] * sign[place] > 0:
                kept[place] = True
                due[codes[place]] -= sign[place]
        for place in range(start, end):
            due[codes[place]] = 0
        start = end
    return kept


@kernel(
    "boolean[::1](Array(int64, 1, 'C', True), Array(int64, 1, 'C', True), Array(int8, 1, 'C', True), int64)"
)
def outlast(ts: Ints, codes: Ints, sign: Signs, capacity: int) -> Mask:
    """Which tuples enter and outlast their instant: a later negative tuple of it cancels them."""
    kept = np.zeros(ts.shape[0], np.bool_)
    due = np.zeros(capacity, np.int64)
    end = ts.shape[0]
    while end > 0:
        start = end
        while start > 0 and ts[start - 1] == ts[end - 1]:
            start -= 1
            if sign[start] < 0:
                due[codes[start]] += 1
            elif due[codes[start]] > 0:
                due[codes[start]] -= 1
            else:
                kept[start] = True
        for place in range(start, end):
            due[codes[place]] = 0
        end = start
    return kept
