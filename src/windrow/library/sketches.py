"""Sketches of Apache DataSketches: small summaries that answer about, and merge, so that a SLIDE has panes.

`sketches.esl` declares them.

What is kept does not grow with the window, and the same tuples give the same answers: that is why quantiles
are a t-digest's, for others draw lots.
"""

from __future__ import annotations

from datasketches import count_min_sketch, hll_sketch, hll_union, tdigest_double, tgt_hll_type

_PRECISION = 12
"""HyperLogLog has 2 ** 12 counters: an error of 1.6 % on average."""
_HASHES, _COUNTERS = 5, 2048
"""CountMin is seldom too high by more than 0.13 % of all that it counted."""
_COMPRESSION = 200
"""A t-digest has about so many centroids."""


class Distinct:
    """About how many different values there are, by HyperLogLog."""

    def __init__(self) -> None:
        self._sketch = hll_sketch(_PRECISION)

    def initialize(self, item: str | None) -> None:
        self.iterate(item)

    def iterate(self, item: str | None) -> None:
        if item is not None:
            self._sketch.update(item)

    def merge(self, later: Distinct) -> None:
        union = hll_union(_PRECISION)
        union.update(self._sketch)
        union.update(later._sketch)
        self._sketch = union.get_result(tgt_hll_type.HLL_4)

    def terminate(self) -> float:
        return float(self._sketch.get_estimate())

    def __getstate__(self) -> bytes:
        return bytes(self._sketch.serialize_updatable())

    def __setstate__(self, state: bytes) -> None:
        self._sketch = hll_sketch.deserialize(state)


class Frequency:
    """How often one item occurs, about and never too low, by CountMin: the last one asked for."""

    def __init__(self) -> None:
        self._sketch = count_min_sketch(_HASHES, _COUNTERS)
        self._wanted: str | None = None

    def initialize(self, item: str | None, wanted: str | None) -> None:
        self.iterate(item, wanted)

    def iterate(self, item: str | None, wanted: str | None) -> None:
        if item is not None:
            self._sketch.update(item)
        self._wanted = wanted

    def merge(self, later: Frequency) -> None:
        self._sketch.merge(later._sketch)
        self._wanted = later._wanted

    def terminate(self) -> int | None:
        return None if self._wanted is None else int(self._sketch.get_estimate(self._wanted))

    def __getstate__(self) -> tuple[bytes, str | None]:
        return bytes(self._sketch.serialize()), self._wanted

    def __setstate__(self, state: tuple[bytes, str | None]) -> None:
        sketch, self._wanted = state
        self._sketch = count_min_sketch.deserialize(sketch)


class Quantile:
    """About the value below which a share of all lies, by a t-digest: the last share that was asked for."""

    def __init__(self) -> None:
        self._sketch = tdigest_double(_COMPRESSION)
        self._share: float | None = None

    def initialize(self, value: float | None, share: float | None) -> None:
        self.iterate(value, share)

    def iterate(self, value: float | None, share: float | None) -> None:
        if value is not None:
            self._sketch.update(value)
        self._share = share

    def merge(self, later: Quantile) -> None:
        self._sketch.merge(later._sketch)
        self._share = later._share

    def terminate(self) -> float | None:
        if self._share is None or self._sketch.is_empty():
            return None
        return float(self._sketch.get_quantile(self._share))

    def __getstate__(self) -> tuple[bytes, float | None]:
        return bytes(self._sketch.serialize()), self._share

    def __setstate__(self, state: tuple[bytes, float | None]) -> None:
        sketch, self._share = state
        self._sketch = tdigest_double.deserialize(sketch)
