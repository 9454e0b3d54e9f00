"""How the time gets to the steps of a query that runs in queues: what its strategy comes to there.

Whatever the strategy, a step that takes a tuple or a message from its queue knows that their instant has
come. The strategies differ in what else tells it.
"""

from __future__ import annotations

from dataclasses import dataclass

from windrow.plan.emitting import ToStream
from windrow.plan.expiration import Expiration, Expire
from windrow.plan.grouping import Over
from windrow.plan.nodes import Node
from windrow.plan.windows import Extent, OutputWindow, Window


@dataclass(frozen=True, slots=True)
class Telling:
    """The rules of one strategy."""

    how: Expiration

    @property
    def sends_messages(self) -> bool:
        """When the end of something that a step has sent comes, it sends a message."""
        return self.how in (Expiration.TIME_MESSAGE, Expiration.PIGGYBACK)

    @property
    def merges_messages(self) -> bool:
        """A message that nobody has read yet gives way to what is sent after it."""
        return self.how is Expiration.PIGGYBACK

    @property
    def only_arrivals_tell(self) -> bool:
        """Nothing else tells any step the time."""
        return self.how is Expiration.INPUT_TRIGGERED

    def asks_for_ends(self, node: Node) -> bool:
        """Whether a step asks below it how far the time is, when an end of what it has taken is near:
        all steps where that is how they learn it, and nile's EXPIRE, which is close to the source."""
        if self.how is Expiration.NEGATIVE:
            return isinstance(node, Expire)
        return self.how in (Expiration.UPA, Expiration.DIRECT) and node.keeps_state

    def heralds(self, node: Node) -> bool:
        """Whether a step asks how far the time is, so as to send the first message of an end."""
        return self.sends_messages and isinstance(node, Window | OutputWindow)

    def wakes_at(self, node: Node) -> int | None:
        """Of a step that does something at multiples of a length of time, whatever comes: that length."""
        if self.only_arrivals_tell:
            return None
        if isinstance(node, Window | OutputWindow) and node.spec.extent is Extent.TIME:
            return node.spec.slide
        return node.every if isinstance(node, ToStream) else None

    def is_restless(self, node: Node) -> bool:
        """Whether a step may have something to say at any time, and asks whenever it has its turn."""
        return isinstance(node, Over) and not self.only_arrivals_tell
