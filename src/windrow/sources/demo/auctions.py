"""Auctions that open, are bid for and close: three streams of one world.

Everything follows from numbers. Auction a opens in round a; a round has BIDS bids, each on one of
the OPEN_ROUNDS auctions that opened before it; a round later than its last bid, the auction closes. So each
stream can compute what it must know of the others (a closing looks through the bids that its
auction can have had) and three threads that share only a seed tell one story.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from windrow.schema import Schema
from windrow.sources.demo.chance import Bits, draws, fractions, label, lognormal, numbered, quarters, zipf
from windrow.sources.generated import Block, Columns, Generator, Integers, Timeline
from windrow.sources.generator_options import GeneratorOptions

BIDS = 10
"""Bids in a round."""
EVENTS = BIDS + 2
"""What happens in a round, the opening and the closing with it."""
OPEN_ROUNDS = 1000
"""For so many rounds after its own an auction takes bids."""
SELLERS = 1_000
BIDDERS = 5_000

_AUCTIONS, _BIDS = 1, 2
_FAVOURITE = 4
"""Half of the bids go to auctions with numbers that this divides."""
_HALF = 1 << 15


@dataclass(frozen=True, slots=True)
class Auctions:
    """Auctions numbered one after the other: what is settled when they open."""

    opened: Integers
    seller: Bits
    start_price: Integers
    """In cents, as all prices."""
    increment: Integers
    """Each bid place later, a bid is at least so much higher."""


@dataclass(frozen=True, slots=True)
class Bidding:
    """Bids by place: place p is in round p // BIDS."""

    auction: Integers
    bidder: Bits
    above: Bits
    """15 random bits: how far a bid goes beyond the least that it has to be."""
    moment: Bits


class World:
    """One world of auctions: what seed and timeline make of the numbers."""

    def __init__(self, options: GeneratorOptions) -> None:
        self._seed = options.seed
        self._timeline = Timeline(options.rate, options.burst)

    def auctions(self, first: int, count: int) -> Auctions:
        seller, price, moment, _ = quarters(draws(self._seed, _AUCTIONS, first, count))
        opened = self._timeline.micros((np.arange(first, first + count) + fractions(moment)) * EVENTS)
        start = np.rint(lognormal(5500.0, 1.5)[price]).astype(np.int64)
        return Auctions(opened, seller, start, 1 + 2 * start // (OPEN_ROUNDS * BIDS))

    def closed(self, first: int, count: int) -> Integers:
        _, _, moment, _ = quarters(draws(self._seed, _AUCTIONS, first, count))
        rounds = np.arange(first, first + count) + (OPEN_ROUNDS + 1) + fractions(moment)
        return self._timeline.micros(rounds * EVENTS)

    def bidding(self, place: int, count: int) -> Bidding:
        choice, bidder, moment, above = quarters(draws(self._seed, _BIDS, place, count))
        places = np.arange(place, place + count)
        rounds = places // BIDS
        reach = np.minimum(rounds, OPEN_ROUNDS - _FAVOURITE + 1)
        auction = rounds - 1 - (choice.astype(np.int64) * reach >> 16)
        auction = np.where(above >= _HALF, auction & -_FAVOURITE, auction)
        first_of_round = -place % BIDS
        auction[first_of_round::BIDS] = rounds[first_of_round::BIDS] - 1
        return Bidding(auction, bidder, above & np.uint16(_HALF - 1), moment)

    def bid_times(self, place: int, moment: Bits) -> Integers:
        places = np.arange(place, place + len(moment)) + fractions(moment)
        return self._timeline.micros(places * (EVENTS / BIDS))


def bid_price(places: Integers, auction: Integers, above: Bits, of: Auctions, first: int) -> Integers:
    """What is bid at a place; always more than at an earlier place on the same auction."""
    index = auction - first
    increment = of.increment[index]
    since_opening = places - (auction + 1) * BIDS
    return of.start_price[index] + increment * since_opening + (above * increment >> 15)


class OpenAuctions(Generator):
    """Auctions as they open."""

    columns: ClassVar[Schema] = Schema.of(
        ("itemID", "INTEGER"), ("sellerID", "VARCHAR"), ("price", "DOUBLE"), ("start_time", "TIMESTAMP")
    )
    times: ClassVar[frozenset[str]] = frozenset({"start_time"})

    def __init__(self, options: GeneratorOptions) -> None:
        self._world = World(options)

    def block(self, number: int) -> Block:
        first = number * self.rows
        auctions = self._world.auctions(first, self.rows)
        sellers = zipf(SELLERS)
        columns: Columns = {
            "itemID": lambda: pa.array(np.arange(first, first + self.rows)),
            "sellerID": lambda: label(numbered("s", SELLERS, 9), sellers[auctions.seller]),
            "price": lambda: pa.array(auctions.start_price / 100),
        }
        return Block(auctions.opened, columns)


class Bids(Generator):
    """Bids on the auctions that are open, each higher than the last on its auction."""

    columns: ClassVar[Schema] = Schema.of(
        ("itemID", "INTEGER"), ("price", "DOUBLE"), ("bidderID", "VARCHAR"), ("bid_time", "TIMESTAMP")
    )
    times: ClassVar[frozenset[str]] = frozenset({"bid_time"})

    def __init__(self, options: GeneratorOptions) -> None:
        self._world = World(options)

    def block(self, number: int) -> Block:
        place = number * self.rows + BIDS
        bids = self._world.bidding(place, self.rows)
        columns: Columns = {
            "itemID": lambda: pa.array(bids.auction),
            "price": lambda: pa.array(self._prices(place, bids) / 100),
            "bidderID": lambda: label(numbered("b", BIDDERS, 9), zipf(BIDDERS)[bids.bidder]),
        }
        return Block(self._world.bid_times(place, bids.moment), columns)

    def _prices(self, place: int, bids: Bidding) -> Integers:
        first, last = int(bids.auction.min()), int(bids.auction.max())
        auctions = self._world.auctions(first, last - first + 1)
        places = np.arange(place, place + self.rows)
        return bid_price(places, bids.auction, bids.above, auctions, first)


class ClosedAuctions(Generator):
    """Auctions as they close, with the highest bid and who made it."""

    columns: ClassVar[Schema] = Schema.of(
        ("itemID", "INTEGER"),
        ("buyerID", "VARCHAR"),
        ("price", "DOUBLE"),
        ("current_time", "TIMESTAMP"),
        ("close_time", "TIMESTAMP"),
    )
    times: ClassVar[frozenset[str]] = frozenset({"current_time", "close_time"})
    rows = 16_384

    def __init__(self, options: GeneratorOptions) -> None:
        self._world = World(options)

    def block(self, number: int) -> Block:
        first = number * self.rows
        items = np.arange(first, first + self.rows)
        place = (first + 1) * BIDS
        bids = self._world.bidding(place, (self.rows + OPEN_ROUNDS) * BIDS)
        last = self._last_bids(first, bids.auction)
        auctions = self._world.auctions(first, self.rows)
        columns: Columns = {
            "itemID": lambda: pa.array(items),
            "buyerID": lambda: label(numbered("b", BIDDERS, 9), zipf(BIDDERS)[bids.bidder[last]]),
            "price": lambda: pa.array(
                bid_price(last + place, items, bids.above[last], auctions, first) / 100
            ),
        }
        return Block(self._world.closed(first, self.rows), columns)

    def _last_bids(self, first: int, auction: Integers) -> Integers:
        """For each auction, which of the bids was its last, and so its highest."""
        here = np.flatnonzero((auction >= first) & (auction < first + self.rows))
        last = np.zeros(self.rows, dtype=np.int64)
        last[auction[here] - first] = here
        return last
