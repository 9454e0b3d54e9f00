"""Index records: their check sum, what is torn, and the times of each part."""

from __future__ import annotations

import numpy as np
import pytest

from tests.log.conftest import EXTERNAL, LATENT
from windrow.delta import BEGINNING
from windrow.log.index import ENTRY, Entries, Index, intact, sealed


def records(count: int) -> Entries:
    made = np.zeros(count, ENTRY)
    for number in range(count):
        made[number]["clock"] = number
        made[number] = sealed(made[number].copy().reshape(()))
    return made


def test_whole_records_are_intact() -> None:
    assert intact(records(3)) == 3


@pytest.mark.parametrize("place", range(0, ENTRY.itemsize, 7))
def test_a_changed_byte_at_the_end_is_found(place: int) -> None:
    raw = bytearray(records(3).tobytes())
    raw[2 * ENTRY.itemsize + place] ^= 1
    assert intact(np.frombuffer(bytes(raw), ENTRY)) == 2


def test_zeros_that_a_crash_left_are_no_records() -> None:
    assert intact(np.concatenate([records(2), np.zeros(3, ENTRY)])) == 2


def test_between_leaves_out_what_was_dropped() -> None:
    index = Index(5, records(4))
    assert index.end == 9
    assert index.between(0, 7).first == 5
    assert index.between(0, 7).entries["clock"].tolist() == [0, 1]
    assert index.between(6, 100).entries["clock"].tolist() == [1, 2, 3]
    assert len(index.between(9, 9).entries) == 0


def test_the_clock_before_the_first_entry_is_the_beginning() -> None:
    index = Index(5, records(4))
    assert index.clock_at(EXTERNAL, 5) == BEGINNING
    assert index.clock_at(EXTERNAL, 7) == 1


def test_late_and_rejected_rows_count_on_from_the_stamps_of_the_tuples() -> None:
    #          tuples  late  rejected
    # stamps   10 11   12    13 14
    entries = np.zeros(1, ENTRY)
    entries["rows"], entries["stamp"], entries["last_stamp"] = [2, 1, 2], 10, 14
    index = Index(0, entries)
    tuples, late, rejected = (index.of_part(s) for s in (LATENT, EXTERNAL.late, EXTERNAL.rejected))
    assert (tuples.min_ts[0], tuples.max_ts[0]) == (10, 11)
    assert (late.min_ts[0], late.max_ts[0]) == (12, 12)
    assert (rejected.min_ts[0], rejected.max_ts[0]) == (13, 14)
    assert index.clock_at(EXTERNAL.late, 1) == 14
