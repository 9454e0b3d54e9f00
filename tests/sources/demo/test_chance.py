import numpy as np
import pytest

from windrow.sources.demo.chance import (
    GRAINS,
    draws,
    fractions,
    lognormal,
    quarters,
    scattered,
    shares,
    zipf,
)


@pytest.mark.parametrize("first", [0, 1, 3, 4, 1_000_003])
def test_a_draw_is_the_same_alone_and_among_others(first):
    among = draws(7, 1, 0, first + 10)
    assert (draws(7, 1, first, 10) == among[first:]).all()


def test_seed_and_subject_both_change_the_draws():
    one, other_seed, other_subject = draws(1, 1, 0, 8), draws(2, 1, 0, 8), draws(1, 2, 0, 8)
    assert not (one == other_seed).any()
    assert not (one == other_subject).any()


def test_the_pieces_of_a_draw_are_even_and_unrelated():
    pieces = np.array([fractions(bits) for bits in quarters(draws(1, 1, 3, 100_000))])
    assert pieces.min() >= 0
    assert pieces.max() < 1
    assert pieces.mean(axis=1) == pytest.approx([0.5] * 4, abs=0.01)
    assert np.abs(np.corrcoef(pieces) - np.eye(4)).max() < 0.02


def test_every_index_has_its_share_of_the_grains_and_at_least_one():
    table = shares([3, 1, 1e-9])
    assert len(table) == GRAINS
    assert np.bincount(table).tolist() == [49_151, 16_384, 1]


def test_the_kth_rank_has_a_kth_of_the_firsts_share():
    counts = np.bincount(zipf(1650))
    assert len(counts) == 1650
    assert counts[0] / counts[[1, 9, 99]] == pytest.approx([2, 10, 100], rel=0.05)


def test_a_lognormal_lies_around_its_median():
    values = lognormal(20.0, 1.2)
    assert np.median(values) == pytest.approx(20.0, rel=1e-3)
    assert np.std(np.log(values)) == pytest.approx(1.2, rel=1e-3)


def test_scattered_numbers_are_all_there_in_disorder():
    numbers = scattered(1000, 619)
    assert sorted(numbers) == list(range(1000))
    assert numbers != sorted(numbers)
