"""Equal rows, in SQL's sense for DISTINCT: NULL equals NULL, and NaN equals NaN."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.expressions.engine import INPUT, ask


def first_of_equals(table: pa.Table) -> npt.NDArray[np.int64]:
    """The places of the rows that no earlier row equals, rising."""
    names = [f"c{place}" for place in range(table.num_columns)]
    numbered = table.rename_columns(names).append_column("place", pa.array(np.arange(len(table))))
    answer = ask(f"SELECT min(place) AS first FROM {INPUT} GROUP BY {', '.join(names)}", numbered)
    first: npt.NDArray[np.int64] = np.sort(answer["first"].to_numpy())
    return first
