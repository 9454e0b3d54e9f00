"""`demo://WORLD/PART`: which generator tells what, and which one fits a stream."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from windrow.catalog import Stream
from windrow.errors import SourceError
from windrow.sources.demo.auctions import Bids, ClosedAuctions, OpenAuctions
from windrow.sources.demo.packets import LINKS, Packets
from windrow.sources.demo.rfid import Doors, Packing
from windrow.sources.generated import Feed, GeneratedSource, Generator
from windrow.sources.generator_options import GeneratorOptions
from windrow.sources.pacing import Clock
from windrow.uri import Uri

Parts = Mapping[str, Callable[[GeneratorOptions], Generator]]

WORLDS: Mapping[str, Parts] = {
    "auctions": {"open": OpenAuctions, "bids": Bids, "closed": ClosedAuctions},
    "packets": {"": Packets}
    | {str(link): functools.partial(Packets, link=link) for link in range(1, LINKS + 1)},
    "rfid": {"readings": Packing, "doors": Doors},
}


class DemoSource(GeneratedSource):
    """One part of a world, or, if the URI names none, the part that has the stream's columns."""

    def __init__(self, uri: Uri, stream: Stream, *, clock: Clock | None = None) -> None:
        parts = _parts(uri)
        options = GeneratorOptions.parse(uri, *_known_options(uri))
        generators = {name: build(options) for name, build in parts.items()}
        if len(generators) == 1:
            (generator,) = generators.values()
            _refuse_unknown(uri.text, generator, stream)
        else:
            generator = _fitting(uri.text, generators, stream)
        super().__init__(options, Feed.fit(generator, stream, _filling(generator, stream), uri.text), clock)


def _parts(uri: Uri) -> Parts:
    """The parts of a world that the URI means: the one that it names, or all."""
    world, _, part = uri.rest.rstrip("/").partition("/")
    parts = WORLDS.get(world)
    if parts is None:
        raise SourceError(f"{uri.text}: there is no demo '{world}'", hint=f"demos are: {', '.join(WORLDS)}")
    if part in parts:
        return {part: parts[part]}
    if part:
        known = ", ".join(name for name in parts if name)
        raise SourceError(f"{uri.text}: {world} has no part '{part}'", hint=f"its parts are: {known}")
    return parts


def _known_options(uri: Uri) -> tuple[str, ...]:
    """A warehouse has no bursts: they would shorten the gaps that its readings are about."""
    options = ("rate", "speed", "seed", "limit", "start")
    return options if uri.rest.startswith("rfid") else (*options, "burst")


def _fitting(uri: str, parts: Mapping[str, Generator], stream: Stream) -> Generator:
    """The one part that has all columns of a stream, its own timestamp deciding between two."""
    fitting = [part for part in parts.values() if len(_filling(part, stream)) == len(stream.arriving)]
    common = [sum(part.columns.find(name) is not None for name in stream.schema.names) for part in fitting]
    best = [part for part, count in zip(fitting, common, strict=True) if count == max(common)]
    if len(best) == 1:
        return best[0]
    how = "several parts have" if best else "no part has"
    raise SourceError(
        f"{uri}: {how} the columns of {stream.name}: {', '.join(stream.arriving.names)}",
        hint="name one of " + "; ".join(f"/{name} ({_listed(part)})" for name, part in parts.items()),
    )


def _refuse_unknown(uri: str, generator: Generator, stream: Stream) -> None:
    for field in stream.arriving:
        if generator.columns.find(field.name) is None:
            raise SourceError(
                f"{uri}: nothing fills column {field.name} of {stream.name}",
                hint=f"columns are: {_listed(generator)}",
            )


def _filling(generator: Generator, stream: Stream) -> dict[str, str]:
    """The stream's columns that the generator has, with the name that it gives them."""
    found = {field.name: generator.columns.find(field.name) for field in stream.arriving}
    return {name: column.name for name, column in found.items() if column is not None}


def _listed(generator: Generator) -> str:
    return ", ".join(f"{field.name} {field.type}" for field in generator.columns)
