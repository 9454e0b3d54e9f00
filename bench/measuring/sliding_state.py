"""A sliding window as one would write it for Spark's own state: each key keeps its last seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

STORE = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SECONDS = 10
GIVEN = "ts timestamp_ntz, src int, volume double, packets long"
KEPT = "ts binary, bytes binary"


class SlidingSums(StatefulProcessor):
    """SUM and COUNT over the last seconds of its key, for every tuple. A window is kept as two arrays: a
    row of state for each tuple would take several times as long."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._window = handle.getValueState("window", KEPT)

    def handleInputRows(  # noqa: N802 (Spark's name)
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: Any,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        arrived = pd.concat(list(rows)).sort_values("ts", kind="stable")
        ts, sizes = arrived["ts"].to_numpy("datetime64[us]").view(np.int64), arrived["bytes"].to_numpy()
        kept_ts, kept_sizes = self._window.get() or (b"", b"")
        all_ts = np.concatenate([np.frombuffer(kept_ts, np.int64), ts])
        all_sizes = np.concatenate([np.frombuffer(kept_sizes), sizes])
        sums = np.concatenate([[0.0], np.cumsum(all_sizes)])
        first = np.searchsorted(all_ts, ts - SECONDS * 1_000_000)
        last = np.searchsorted(all_ts, ts, side="right")
        live = int(first[-1])
        self._window.update((all_ts[live:].tobytes(), all_sizes[live:].tobytes()))
        yield pd.DataFrame(
            {
                "ts": arrived["ts"],
                "src": key[0],
                "volume": sums[last] - sums[first],
                "packets": last - first,
            }
        )

    def close(self) -> None:
        """There is nothing to close."""


def sliding_sums(rows: DataFrame) -> DataFrame:
    return rows.groupBy("src").transformWithStateInPandas(
        SlidingSums(), outputStructType=GIVEN, outputMode="append", timeMode="none"
    )
