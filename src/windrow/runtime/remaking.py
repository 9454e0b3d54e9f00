"""State computed once more from the logs, where these hold all that it follows from.

That is done where a file of the state is damaged or missing, and where the state is to be in another
number of buckets. It takes what was logged up to the batch's beginning, writes the version that the batch
goes on from, and gives nothing out: all that was given before. Cut short, it is done again with the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from windrow.errors import StateLost
from windrow.log.stream_log import LogReader
from windrow.plan.history import looks_back_only
from windrow.runtime.delivery import MEMORY
from windrow.runtime.execution import PROGRAM, Batch, Work, run_here
from windrow.runtime.program import CompiledQuery, Program
from windrow.runtime.state import Places

Logs = Mapping[str, LogReader]
Given = TypeVar("Given")


def is_in_logs(query: CompiledQuery, logs: Logs) -> bool:
    """Whether the logs hold what the query's state follows from: all that ever came, or its windows, for
    which they are kept."""
    whole = all(logs[stream.log].index().first == 0 for stream in query.streams)
    return whole or looks_back_only(query.plan)


def run_with_state(work: Work, logs: Logs, run: Callable[[], Given], say: Callable[[str], None]) -> Given:
    """Run a batch with all state where its program wants it; again, if some is lost and computed anew."""
    _move(work, logs, say)
    remade: set[str] = set()
    while True:
        try:
            return run()
        except StateLost as lost:
            query = next(each for each in work.program.compiled() if each.key == lost.query)
            if query.key in remade or not is_in_logs(query, logs):
                raise _without_remedy(lost, query) from lost
            _remake(work, query, logs)
            remade.add(query.key)
            say(f"{lost.message}: what {query.name} remembers was computed anew from the log")


def _move(work: Work, logs: Logs, say: Callable[[str], None]) -> None:
    before = Program.load(work.checkpoint / "programs", work.batch.start.get(PROGRAM, 0))
    known = {text.key for text in before.queries}
    for query in work.program.compiled():
        stays = work.batch.is_first_of(query) or query.key in known
        if not stays and len(query.compiled.stages) > 1:
            _remake(work, query, logs)
            say(f"what {query.name} remembers was moved to {query.text.buckets} buckets")


def _remake(work: Work, query: CompiledQuery, logs: Logs) -> None:
    asked = replace(work.program, queries=(replace(query.text, sink=MEMORY),))
    past = replace(work, program=asked, batch=Batch({}, work.batch.start))
    run_here(past, logs, Places.under(work.checkpoint))


def _without_remedy(lost: StateLost, query: CompiledQuery) -> StateLost:
    return StateLost(
        lost.message,
        lost.query,
        hint=f"restore the checkpoint from a copy, or DROP QUERY {query.name} and start it again: the log"
        " holds too little to compute what it remembers, and it begins with what is there",
    )
