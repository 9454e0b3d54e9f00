from __future__ import annotations

from random import Random

import numpy as np
import pytest

from windrow.buffers.saved_array import SavedArray


@pytest.mark.parametrize("seed", range(5))
def test_an_array_comes_back_as_it_was_but_for_the_end(seed: int) -> None:
    chance, array, saved = Random(seed), np.zeros(0, np.int64), SavedArray()
    for _ in range(30):
        length = chance.choice([0, len(array), 2 * len(array) + 3])
        array = np.append(array, np.zeros(length, np.int64))[:length]
        for place in chance.sample(range(length), length // 3):
            array[place] = chance.choice([0, 7, -(2**63)])
        again = SavedArray()
        restored = again.restore(saved.save(array))
        assert np.array_equal(restored, np.trim_zeros(array, "b"))
        saved = chance.choice([saved, again])


def test_only_what_has_changed_is_written() -> None:
    array, saved = np.ones(100_000, np.int64), SavedArray()
    before = saved.save(array)
    array[[7, 70_000]] = 2, 0
    after = saved.save(array)
    assert [name for name in before if after[name] is before[name]] == list(before)
    assert sum(len(part) for name, part in after.items() if name not in before) == 2
    assert saved.save(array) == after
