from __future__ import annotations

import numpy as np
import pytest

from windrow.buffers.pages import PAGE, Pages


@pytest.mark.parametrize("count", [0, 1, PAGE, 3 * PAGE + 5])
def test_an_array_comes_back_as_it_was(count: int) -> None:
    array = np.arange(count)
    assert np.array_equal(Pages().restore(Pages().save(array)), array)


def test_pages_that_do_not_change_are_the_same_objects() -> None:
    array, pages = np.zeros(3 * PAGE, np.int64), Pages()
    first = pages.save(array)
    array[PAGE + 7] = 1
    second = pages.save(array)
    assert [second[name] is first[name] for name in sorted(second)] == [True, False, True]
    again = Pages()
    restored = again.restore(second)
    assert all(part is second[name] for name, part in again.save(restored).items())
