"""A stage takes long inputs in stretches of time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from windrow.delta import BEGINNING, Delta, concat
from windrow.plan.running import stretches

INSTANTS = st.lists(st.integers(0, 9) | st.just(BEGINNING), max_size=30).map(sorted)
CLOCK = 10


def delta(instants: Sequence[int]) -> Delta:
    return Delta(CLOCK, pa.table({"place": np.arange(len(instants))}), np.array(instants, np.int64))


@given(st.dictionaries(st.sampled_from("abc"), INSTANTS.map(delta)), st.integers(1, 9))
def test_stretches_are_the_inputs_one_instant_after_another(inputs: dict[str, Delta], rows: int) -> None:
    told = list(stretches(inputs, rows))
    before = BEGINNING - 1
    for stretch in told:
        (clock,) = {each.clock for each in stretch.values()} or {CLOCK}
        assert all(before < ts <= clock for each in stretch.values() for ts in each.ts.tolist())
        before = clock
    assert before == CLOCK
    for name, whole in inputs.items():
        joined = concat([stretch[name] for stretch in told])
        assert joined.rows.equals(whole.rows)
        assert joined.ts.tolist() == whole.ts.tolist()


def test_a_stretch_is_about_as_long_as_asked_for() -> None:
    told = stretches({"a": delta(range(9)), "b": delta([4])}, 3)
    assert [[len(each) for each in stretch.values()] for stretch in told] == [[3, 0], [3, 1], [3, 0]]
