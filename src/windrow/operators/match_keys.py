"""The keys on which the tuples of two inputs have to agree, as small numbers.

Equal keys of either side have the same code. A key with a NULL in it equals nothing, and has none; unless
NULLs match, as they do for set operations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from windrow.buffers.keys import KeyCodes
from windrow.buffers.parts import State
from windrow.plan.joins import Keys
from windrow.schema import Schema

Codes = npt.NDArray[np.int64]

NO_KEY = -1


class MatchKeys:
    """The codes of keys that tuples of either side have."""

    def __init__(self, keys: Keys, left: Schema, *, nulls_match: bool = False) -> None:
        self._nulls_match = nulls_match
        self._left = [name for name, _ in keys]
        self._right = [name for _, name in keys]
        self.columns = tuple(list(dict.fromkeys(names)) for names in (self._left, self._right))
        """Of either side those that the keys are of, each once."""
        types = {field.name: field.type for field in left}
        named = ((f"key{place}", types[name]) for place, name in enumerate(self._left))
        self._keys = Schema.of(*named)
        """Under names of their own: one column may have to equal several."""
        self._codes = KeyCodes(self._keys)

    @property
    def capacity(self) -> int:
        """All codes are below it."""
        return self._codes.capacity

    def of_left(self, rows: pa.Table) -> Codes:
        """The code of each row of the left input, or NO_KEY."""
        return self._of(rows, self._left)

    def of_right(self, rows: pa.Table) -> Codes:
        return self._of(rows, self._right)

    def known_of_left(self, rows: pa.Table) -> Codes:
        """Likewise, but a key that nobody has had yet has none, and is not remembered."""
        return self._of(rows, self._left, self._codes.find)

    def known_of_right(self, rows: pa.Table) -> Codes:
        return self._of(rows, self._right, self._codes.find)

    def release(self, codes: Codes) -> None:
        """Forget the keys of these codes."""
        self._codes.release(codes)

    def __len__(self) -> int:
        return len(self._codes)

    def save(self) -> State:
        """The keys and their codes."""
        return self._codes.save()

    def restore(self, state: State) -> None:
        self._codes.restore(state)

    def clear(self) -> None:
        """Forget all keys, and free the memory that they took."""
        self._codes = KeyCodes(self._keys)

    def _of(
        self, rows: pa.Table, names: Sequence[str], coded: Callable[[pa.Table], Codes] | None = None
    ) -> Codes:
        coded = coded or self._codes.codes
        keys = rows.select(names).rename_columns(list(self._keys.names))
        nulls = [pc.is_null(column) for column in keys.columns if column.null_count]
        if self._nulls_match or not nulls:
            return coded(keys)
        whole = ~np.logical_or.reduce([np.asarray(each) for each in nulls])
        codes = np.full(len(rows), NO_KEY)
        codes[whole] = coded(keys.filter(pa.array(whole)))
        return codes
