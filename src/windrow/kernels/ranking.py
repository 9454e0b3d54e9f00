"""A treap that knows how many entries are below each of its nodes: entries in an order, found by rank.

Node 0 stands for nothing; its LEFT is the root, and its RIGHT the first of the nodes that are free, each of
which has the next one there. So nodes lie close together, whatever slots their entries have. Which of two
nodes is above the other follows from their numbers, so that the shape is as good as one by chance, and the
same in every process. Where an entry belongs is a matter of its key: words in `words`, from `start[slot]`
on, after their count. Equal keys lie in the order of their slots.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]
Signs = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]

LEFT, RIGHT, SIZE, FIRST, SLOT = 0, 1, 2, 3, 4
COLUMNS = 5
"""Of the array of nodes. FIRST is the first word of the key, which mostly decides; that of node 0 is how
many nodes were ever used."""
_TOP = np.uint64(1 << 63)


@kernel("uint64(int64)")
def _priority(node: int) -> int:
    """The greater is above."""
    mixed = np.uint64(node) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return int(mixed ^ (mixed >> np.uint64(32)))


@kernel("int64(int64[:, ::1], int64)")
def _before(tree: Ints, node: int) -> int:
    """How many entries of a node's subtree are before it."""
    return int(tree[tree[node, LEFT], SIZE])


@kernel("int64(uint64[::1], int64, int64)")
def compare(words: Words, one: int, other: int) -> int:
    """-1, 0 or 1: how two keys lie to each other."""
    for place in range(1, min(words[one], words[other]) + np.uint64(1)):
        left, right = words[one + np.int64(place)], words[other + np.int64(place)]
        if left != right:
            return -1 if left < right else 1
    return 0


@kernel("int64(uint64[::1], int64)")
def first_word(words: Words, key: int) -> int:
    """The first word of a key, as a number that lies to others as the words do."""
    return int(np.int64(words[key + 1] ^ _TOP))


@kernel("int64(int64[:, ::1], uint64[::1], int64[::1], int64, int64)")
def rank_of(tree: Ints, words: Words, start: Ints, key: int, slot: int) -> int:
    """How many entries are before a key; of equal ones those in smaller slots."""
    rank, at, first = 0, tree[0, LEFT], first_word(words, key)
    while at:
        order = 0
        if tree[at, FIRST] != first:
            order = -1 if tree[at, FIRST] < first else 1
        else:
            order = compare(words, start[tree[at, SLOT]], key)
        if order < 0 or (order == 0 and tree[at, SLOT] < slot):
            rank += _before(tree, at) + 1
            at = tree[at, RIGHT]
        else:
            at = tree[at, LEFT]
    return rank


@kernel("int64(int64[:, ::1], int64)")
def slot_at(tree: Ints, rank: int) -> int:
    """The slot of the entry of a rank, which there is."""
    at = tree[0, LEFT]
    while _before(tree, at) != rank:
        if rank < _before(tree, at):
            at = tree[at, LEFT]
        else:
            rank -= _before(tree, at) + 1
            at = tree[at, RIGHT]
    return int(tree[at, SLOT])


@kernel("int64(int64[:, ::1], int64, int64)")
def new_node(tree: Ints, slot: int, first: int) -> int:
    """A node for an entry."""
    node = tree[0, RIGHT]
    if node:
        tree[0, RIGHT] = tree[node, RIGHT]
    else:
        tree[0, FIRST] += 1
        node = tree[0, FIRST]
    tree[node, SLOT], tree[node, FIRST] = slot, first
    return int(node)


@kernel("void(int64[:, ::1], int64, int64)")
def insert(tree: Ints, node: int, rank: int) -> None:
    """Put a node where so many are before it."""
    parent, side, at = 0, LEFT, tree[0, LEFT]
    while at and _priority(at) > _priority(node):
        tree[at, SIZE] += 1
        parent, side = at, LEFT
        if rank > _before(tree, at):
            side = RIGHT
            rank -= _before(tree, at) + 1
        at = tree[at, side]
    tree[parent, side] = node
    tree[node, SIZE] = tree[at, SIZE] + 1
    # What was there is split: those before the entry go to its left, the others to its right.
    low, low_side, high, high_side = node, LEFT, node, RIGHT
    while at:
        count, first = tree[at, SIZE], _before(tree, at) + 1
        if first <= rank:
            tree[low, low_side] = at
            low, low_side = at, RIGHT
            tree[at, SIZE] = rank
            rank -= first
            at = tree[at, RIGHT]
        else:
            tree[high, high_side] = at
            high, high_side = at, LEFT
            tree[at, SIZE] = count - rank
            at = tree[at, LEFT]
    tree[low, low_side] = 0
    tree[high, high_side] = 0


@kernel("void(int64[:, ::1], int64)")
def remove(tree: Ints, rank: int) -> None:
    """Take the entry of a rank, which there is, out. Its node is free then."""
    parent, side, at = 0, LEFT, tree[0, LEFT]
    while _before(tree, at) != rank:
        tree[at, SIZE] -= 1
        parent, side = at, LEFT
        if rank > _before(tree, at):
            side = RIGHT
            rank -= _before(tree, at) + 1
        at = tree[at, side]
    left, right = tree[at, LEFT], tree[at, RIGHT]
    tree[at, RIGHT] = tree[0, RIGHT]
    tree[0, RIGHT] = at
    while left and right:
        if _priority(left) > _priority(right):
            tree[parent, side] = left
            tree[left, SIZE] += tree[right, SIZE]
            parent, side, left = left, RIGHT, tree[left, RIGHT]
        else:
            tree[parent, side] = right
            tree[right, SIZE] += tree[left, SIZE]
            parent, side, right = right, LEFT, tree[right, LEFT]
    tree[parent, side] = left + right


@kernel("int64(int64, boolean[::1], int64[::1], int64)")
def _cross(slot: int, inside: Flags, crossing: Ints, crossed: int) -> int:
    """An entry comes into the ranks or goes out of them."""
    inside[slot] = not inside[slot]
    crossing[crossed] = slot
    return crossed + 1


@kernel("int64(int64[::1], boolean[::1], int64, int64, int64[::1], int8[::1], int64[::1])")
def _tell(
    crossing: Ints, inside: Flags, instant: int, count: int, told: Ints, signs: Signs, instants: Ints
) -> int:
    """Note the slots that crossed a border an odd number of times: first those that left."""
    ordered = np.sort(crossing)
    for sign in (-1, 1):
        place = 0
        while place < ordered.shape[0]:
            slot, crossed = ordered[place], 0
            while place < ordered.shape[0] and ordered[place] == slot:
                place += 1
                crossed += 1
            if crossed % 2 == 1 and inside[slot] == (sign > 0):
                told[count], signs[count], instants[count] = slot, sign, instant
                count += 1
    return count


@kernel(
    "int64(Array(int64, 1, 'C', True), Array(int8, 1, 'C', True), int64[::1], Array(int64, 1, 'C', True),"
    " int64, int64, int64[:, ::1], uint64[::1], int64[::1], boolean[::1], int64[::1], int8[::1],"
    " int64[::1])"
)
def play(
    ts: Ints,
    sign: Signs,
    slots: Ints,
    keys: Ints,
    first: int,
    end: int,
    tree: Ints,
    words: Words,
    start: Ints,
    inside: Flags,
    told: Ints,
    signs: Signs,
    instants: Ints,
) -> int:
    """Take in changes, in time order: what they change among the ranks from `first` to before `end`.

    An entry that comes has a slot, and its key is noted there. One that goes is known by its key, and its
    slot is filled in: -1 if there is none. `inside` says of each slot whether it is among these ranks.
    Fills `told`, `signs` and `instants` with what is another at the end of an instant than before it, what
    leaves first; returns how many. They have room for two of each change.
    """
    crossing = np.empty(2 * ts.shape[0], np.int64)
    count, begun, crossed = 0, 0, 0
    for at in range(ts.shape[0]):
        if ts[at] != ts[begun]:
            count = _tell(crossing[:crossed], inside, ts[begun], count, told, signs, instants)
            begun, crossed = at, 0
        live = tree[tree[0, LEFT], SIZE]
        if sign[at] > 0:
            slot = slots[at]
            rank = rank_of(tree, words, start, keys[at], slot)
            insert(tree, new_node(tree, slot, first_word(words, keys[at])), rank)
            live += 1
        else:
            rank = rank_of(tree, words, start, keys[at], -1)
            slot = slot_at(tree, rank) if rank < live else -1
            if slot >= 0 and compare(words, start[slot], keys[at]) != 0:
                slot = -1
            slots[at] = slot
            if slot < 0:
                continue
        if rank < end:
            # It comes into the ranks, or goes out of them, or moves others across their first border;
            # and others across their last.
            if rank >= first:
                crossed = _cross(slot, inside, crossing, crossed)
            elif live > first:
                crossed = _cross(slot_at(tree, first), inside, crossing, crossed)
            if live > end:
                crossed = _cross(slot_at(tree, end), inside, crossing, crossed)
        if sign[at] < 0:
            remove(tree, rank)
    return _tell(crossing[:crossed], inside, ts[begun], count, told, signs, instants) if len(ts) else 0


@kernel("void(int64[::1], int64[:, ::1], uint64[::1], int64[::1])")
def plant(slots: Ints, tree: Ints, words: Words, start: Ints) -> None:
    """Put entries whose keys are noted into a tree without them."""
    for slot in slots:
        node = new_node(tree, slot, first_word(words, start[slot]))
        insert(tree, node, rank_of(tree, words, start, start[slot], slot))


@kernel("void(Array(uint8, 1, 'C', True), Array(int64, 1, 'C', True), uint64[::1], int64, int64[::1])")
def pack(text: Bytes, offsets: Ints, words: Words, used: int, keys: Ints) -> None:
    """Write keys of bytes into words, from `used` on, each after its count of words; note where."""
    for place in range(keys.shape[0]):
        begin, length = offsets[place], offsets[place + 1] - offsets[place]
        count = (length + 7) // 8
        keys[place] = used
        words[used] = np.uint64(count)
        for number in range(count):
            word = np.uint64(0)
            for byte in range(8):
                at = 8 * number + byte
                one = text[begin + at] if at < length else np.uint8(0)
                word = (word << np.uint64(8)) | np.uint64(one)
            words[used + 1 + number] = word
        used += 1 + count


@kernel("int64(int64[::1], uint64[::1], uint64[::1], int64[::1])")
def compact(slots: Ints, words: Words, kept: Words, start: Ints) -> int:
    """Copy the keys of these slots to the beginning of other words; returns how many were written."""
    used = 0
    for slot in slots:
        length = int(words[start[slot]]) + 1
        kept[used : used + length] = words[start[slot] : start[slot] + length]
        start[slot] = used
        used += length
    return used
