"""From answers, one after another, to the changes between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from windrow.buffers.keys import KeyCodes
from windrow.buffers.rows import Numbers
from windrow.delta import Signs
from windrow.schema import Schema


def differences(answers: Sequence[pa.Table], schema: Schema) -> tuple[pa.Table, Numbers, Signs]:
    """What enters and leaves with each answer but the first: rows, the place of the answer, signs.

    Answers are multisets. With each, what leaves is told first.
    """
    rows = pa.concat_tables(answers)
    coder = KeyCodes(schema)
    codes = coder.codes(rows)
    lengths = [len(answer) for answer in answers]
    at = np.repeat(np.arange(len(answers)), lengths)
    # A row of an answer counts against the next one, where it is missing unless it is there, too.
    follows = at < len(answers) - 1
    keys = np.concatenate([at, at[follows] + 1]) * coder.capacity + np.concatenate([codes, codes[follows]])
    ones = np.concatenate([np.ones(len(at), np.int64), np.full(int(follows.sum()), -1)])
    distinct, first, where = np.unique(keys, return_index=True, return_inverse=True)
    balance = np.zeros(len(distinct), np.int64)
    np.add.at(balance, where, ones)
    changed = np.flatnonzero((balance != 0) & (distinct >= coder.capacity))
    places = np.concatenate([np.arange(len(at)), np.flatnonzero(follows)])[first[changed]]
    instants, signs = distinct[changed] // coder.capacity, np.sign(balance[changed])
    order = np.lexsort((places, signs, instants))
    told = np.repeat(order, np.abs(balance[changed])[order])
    return rows.take(places[told]), instants[told], signs[told].astype(np.int8)
