"""COUNT, COUNT_IF, BOOL_AND and BOOL_OR."""

from __future__ import annotations

from windrow.aggregates.arguments import counted, counted_once, counts_all, is_plain
from windrow.aggregates.base import Aggregate, FromSums
from windrow.aggregates.calls import Call
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.parts import Ending
from windrow.aggregates.sightings import Sightings, sightings
from windrow.aggregates.sums import Counts
from windrow.aggregates.tuples import from_bits
from windrow.schema import Field


def count(call: Call, field: Field, ledger: Ledger) -> Aggregate | None:
    """How many tuples count. COUNT(DISTINCT x): how many different values."""
    if not is_plain(call) or not (call.only_column() or counts_all(call)):
        return None
    if call.distinct and call.only_column() is None:
        return None
    counts: Counts | Sightings
    if call.distinct and ledger.ending is Ending.PANES:
        counts = sightings(call, ledger)
    else:
        counts = ledger.part(Counts, counted_once(call, ledger) if call.distinct else counted(call, ledger))
    return FromSums(lambda: from_bits(counts.numbers, field.arrow.type, None))
