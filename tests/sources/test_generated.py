"""What holds for every generated source: the same tuples however they are handed over."""

from threading import Event, Thread

import pyarrow as pa
import pytest

from windrow.catalog import Stream
from windrow.errors import SourceError
from windrow.log.inlet import StreamInlet
from windrow.log.stream_log import MemoryLog
from windrow.schema import Schema
from windrow.sources.demo.source import WORLDS
from windrow.sources.generator_options import GeneratorOptions
from windrow.sources.pacing import WallClock
from windrow.sources.rate import Counting

START = "start=2026-01-01T00:00:00"
URIS = [f"demo://{world}/{part}".rstrip("/") for world, parts in WORLDS.items() for part in parts]
BLOCK = Counting.rows


def columns_of(uri: str) -> Schema:
    if uri.startswith("rate"):
        return Counting.columns
    world, _, part = uri.removeprefix("demo://").partition("/")
    return WORLDS[world][part](GeneratorOptions()).columns


def latent(uri: str) -> Stream:
    return Stream("S", columns_of(uri))


@pytest.mark.parametrize("uri", ["rate://5000", *URIS])
def test_what_is_stopped_and_started_gives_the_same_tuples(uri, source, generated, recorder, clock):
    stream = latent(uri)
    options = f"{START}&limit=70000" if uri.startswith("rate") else f"rate=900&{START}&limit=70000"
    whole = generated(f"{uri}?{options}&speed=max", stream)
    parts: list[pa.Table] = []
    position = None
    for enough in (1, 400, 9_000, 60_000, 100_000):
        inlet = recorder(stream, enough=enough)
        source(f"{uri}?{options}&speed=7", stream, clock=clock).run(inlet, position, inlet.stopping)
        parts.append(inlet.rows)
        position = inlet.position
    assert inlet.finished
    assert len(clock.waits) > 10
    assert pa.concat_tables(parts).combine_chunks().equals(whole)


@pytest.mark.parametrize("uri", ["rate://5000", *URIS])
def test_event_times_never_go_back(uri, generated):
    rows = generated(f"{uri}?{START}&limit=200000&speed=max", latent(uri))
    (name, *_) = [field.name for field in columns_of(uri) if field.type == "TIMESTAMP"]
    times = rows[name].cast(pa.int64()).to_numpy()
    assert (times[1:] >= times[:-1]).all()


@pytest.mark.parametrize("uri", URIS)
def test_another_seed_tells_another_world(uri, generated):
    first, second = (
        generated(f"{uri}?{START}&limit=500&rate=max&seed={seed}", latent(uri)) for seed in (1, 2)
    )
    assert not first.equals(second)


def test_event_times_count_from_the_second_in_which_the_source_started(source, recorder, clock):
    stream = Stream("S", Counting.columns)
    inlet = recorder(stream, enough=1)
    source("rate://1000", stream, clock=clock).run(inlet, None, inlet.stopping)
    assert inlet.rows["timestamp"].cast(pa.int64())[0].as_py() == 1_800_000_000_000_000


def test_a_restart_goes_on_in_the_same_time_whenever_it_comes(source, recorder, clock):
    stream = Stream("S", Counting.columns)
    before, after = recorder(stream, enough=1), recorder(stream, enough=1)
    source("rate://1000", stream, clock=clock).run(before, None, before.stopping)
    clock.now += 3600
    source("rate://1000", stream, clock=clock).run(after, before.position, after.stopping)
    first = before.rows.num_rows
    assert after.rows["timestamp"].cast(pa.int64())[0].as_py() == 1_800_000_000_000_000 + first * 1000
    assert after.rows.num_rows < 100


def test_the_start_is_logged_before_the_first_tuple(source, recorder, clock):
    stream = latent("demo://auctions/closed")
    inlet = recorder(stream, enough=0)
    source("demo://auctions/closed", stream, clock=clock).run(inlet, None, inlet.stopping)
    assert inlet.rows.num_rows == 0
    assert inlet.position == {"tuples": 0, "start": 1_800_000_000_000_000}


def test_tuples_come_at_the_rate_asked_for(source, recorder, clock):
    stream = Stream("S", Counting.columns)
    inlet = recorder(stream)
    began = clock.now
    source("rate://200?limit=1001", stream, clock=clock).run(inlet, None, inlet.stopping)
    assert clock.now - began == pytest.approx(5.0, abs=0.06)
    assert len(inlet.tables) == pytest.approx(5.0 / 0.05, abs=5)


def test_a_burst_and_the_silence_after_it_keep_the_mean_rate(generated):
    rows = generated("rate://1000?start=1970-01-01&burst=5&limit=20000&speed=max", latent("rate://1000"))
    times = rows["timestamp"].cast(pa.int64()).to_numpy()
    assert ((times % 2_000_000) < 400_000).all()  # a burst is a fifth of two seconds
    assert times[-1] == pytest.approx(18_400_000, abs=1000)


def test_whole_blocks_go_over_at_once_if_nothing_holds_them_back(source, recorder, clock):
    stream = Stream("S", Counting.columns)
    inlet = recorder(stream)
    source(f"rate://max?limit={BLOCK * 2 + 5}", stream, clock=clock).run(inlet, None, inlet.stopping)
    assert [table.num_rows for table in inlet.tables if table.num_rows] == [BLOCK, BLOCK, 5]
    assert clock.waits == []


def test_the_source_ends_at_its_limit_and_is_idle_then(source, recorder):
    stream = Stream("S", Counting.columns)
    inlet = recorder(stream)
    ending = source("rate://max?limit=10", stream)
    assert not ending.idle()
    ending.run(inlet, None, inlet.stopping)
    assert inlet.rows.num_rows == 10
    assert inlet.finished
    assert ending.idle()


def test_a_source_that_had_ended_ends_again_without_a_tuple(source, recorder):
    stream = Stream("S", Counting.columns)
    first, again = recorder(stream), recorder(stream)
    source("rate://max?limit=10", stream).run(first, None, first.stopping)
    source("rate://max?limit=10", stream).run(again, first.position, again.stopping)
    assert again.rows.num_rows == 0
    assert again.finished


class WaitingIsSeen(WallClock):
    def __init__(self) -> None:
        self.waiting = Event()

    def wait(self, stopping: Event, seconds: float) -> None:
        self.waiting.set()
        super().wait(stopping, seconds)


@pytest.mark.parametrize(
    "uri", ["rate://0.001", "demo://packets?rate=0.001", "demo://rfid/doors?rate=0.001"]
)
def test_a_source_stops_in_the_middle_of_a_long_silence(uri, source, recorder):
    stream = latent(uri.partition("?")[0])
    inlet = recorder(stream)
    clock = WaitingIsSeen()
    waiting = source(uri, stream, clock=clock)
    thread = Thread(target=waiting.run, args=(inlet, None, inlet.stopping), daemon=True)
    thread.start()
    assert clock.waiting.wait(timeout=30)
    inlet.stopping.set()
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert not inlet.finished


def test_a_stopped_source_hands_nothing_over(source, recorder):
    stream = Stream("S", Counting.columns)
    inlet = recorder(stream)
    inlet.stopping.set()
    source("rate://max", stream).run(inlet, None, inlet.stopping)
    assert inlet.rows.num_rows == 0


def test_the_door_of_a_real_stream_takes_what_is_generated(source, stream):
    declared = stream(("value", "BIGINT"), ("timestamp", "TIMESTAMP"), timestamp="timestamp")
    log = MemoryLog()
    inlet = StreamInlet(declared, log)
    source("rate://max?limit=1000", declared).run(inlet, None, Event())
    assert log.index().entries["rows"][:, 0].sum() == 1000
    assert log.position["tuples"] == 1000


def test_columns_take_the_types_that_they_are_declared_with(generated, stream):
    declared = stream(
        ("itemid", "VARCHAR"), ("price", "DECIMAL(10,2)"), ("start_time", "TIMESTAMP WITH TIME ZONE")
    )
    rows = generated("demo://auctions/open?limit=3&rate=max", declared)
    exact = generated("demo://auctions/open?limit=3&rate=max", stream(("price", "DOUBLE")))
    assert rows["itemid"].to_pylist() == ["0", "1", "2"]
    assert [float(price) for price in rows["price"].to_pylist()] == exact["price"].to_pylist()


def test_fractions_round_when_a_column_is_declared_whole(generated, stream):
    whole = generated("demo://packets?limit=500&rate=max", stream(("duration", "INTEGER")))
    exact = generated("demo://packets?limit=500&rate=max", stream(("duration", "DOUBLE")))
    assert whole["duration"].to_pylist() == [round(value) for value in exact["duration"].to_pylist()]


def test_a_type_that_the_values_cannot_take_is_refused(source, stream):
    with pytest.raises(SourceError) as caught:
        source("demo://packets", stream(("protocol", "INTEGER")))
    assert caught.value.message == (
        "demo://packets: column protocol of S is INTEGER, but the source has protocol as VARCHAR"
    )
    assert caught.value.hint == "declare it as VARCHAR and CAST in a query"


def test_a_narrow_column_serves_as_long_as_the_values_fit(source, stream, recorder):
    narrow = stream(("value", "UTINYINT"))
    inlet = recorder(narrow)
    source("rate://max?limit=256", narrow).run(inlet, None, inlet.stopping)
    assert inlet.rows["value"].to_pylist() == list(range(256))
    with pytest.raises(SourceError) as caught:
        source("rate://max?limit=257", narrow).run(recorder(narrow), None, Event())
    assert caught.value.message == (
        "rate://max?limit=257: a value is too large for column value UTINYINT of S"
    )
