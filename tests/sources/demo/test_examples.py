"""The example scripts declare streams that their sources fill, and documents say which columns."""

from pathlib import Path

import pytest

from windrow.catalog import Catalog, Stream
from windrow.language.binder import bind
from windrow.language.define import define
from windrow.language.parser import parse
from windrow.language.statements import CreateDerivedStream, CreateStream, InsertQuery
from windrow.sources.demo.source import WORLDS
from windrow.sources.generator_options import GeneratorOptions

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*.esl"))


def test_each_world_has_an_example():
    assert {script.stem for script in EXAMPLES} >= set(WORLDS)


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.name)
def test_the_statements_of_an_example_mean_something(script):
    assert declared(script)


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.name)
def test_every_stream_of_an_example_is_filled_by_its_source(script, source, recorder, clock):
    for stream in declared(script):
        inlet = recorder(stream, enough=1)
        source(stream.source, stream, clock=clock).run(inlet, None, inlet.stopping)
        assert all(inlet.rows[name].null_count == 0 for name in stream.arriving.names)


def declared(script: Path) -> list[Stream]:
    """The streams that a script feeds, after all its statements have been bound."""
    catalog = Catalog()
    for statement in parse(script.read_text()):
        if isinstance(statement, CreateStream | CreateDerivedStream):
            catalog.add(define(statement, catalog))
        else:
            assert isinstance(statement, InsertQuery)
            bind(statement.query, catalog)
    return [stream for stream in catalog.streams.values() if isinstance(stream, Stream)]


@pytest.mark.parametrize(
    ("world", "part"), [(world, part) for world, parts in WORLDS.items() for part in parts]
)
def test_the_page_on_sources_lists_every_part_and_column(world, part):
    page = (ROOT / "docs" / "sources.md").read_text()
    section = page.partition(f"### demo://{world}")[2].partition("###")[0]
    assert f"demo://{world}/{part}".rstrip("/") in section or world == "packets"
    for field in WORLDS[world][part](GeneratorOptions()).columns:
        shared_cell = f"`{field.name} {field.type}`" in section
        own_row = f"`{field.name}`" in section and f"`{field.type}`" in section
        assert shared_cell or own_row, field
