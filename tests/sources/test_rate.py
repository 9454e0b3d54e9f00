import pyarrow as pa
import pytest

from windrow.errors import Error, SourceError


def test_numbers_rise_by_one_and_times_are_evenly_spaced(generated, stream):
    declared = stream(("value", "BIGINT"), ("timestamp", "TIMESTAMP"))
    rows = generated("rate://4000?start=1970-01-01&limit=100000&speed=max", declared)
    assert rows["value"].to_pylist() == list(range(100_000))
    assert rows["timestamp"].cast(pa.int64()).to_pylist() == [250 * n for n in range(100_000)]


def test_columns_of_any_name_are_filled_by_type(generated, stream):
    declared = stream(("at", "TIMESTAMP"), ("n", "INTEGER"), timestamp="at")
    rows = generated("rate://1000?start=1970-01-01&limit=3&speed=max", declared)
    assert rows["n"].to_pylist() == [0, 1, 2]
    assert rows["at"].cast(pa.int64()).to_pylist() == [0, 1000, 2000]


def test_an_internal_timestamp_is_left_to_the_system(generated, stream):
    rows = generated("rate://max?limit=3", stream(("value", "BIGINT"), internal=True))
    assert rows.to_pydict() == {"value": [0, 1, 2]}


def test_without_a_rate_there_are_a_thousand_a_second(generated, stream):
    declared = stream(("value", "BIGINT"), ("timestamp", "TIMESTAMP"))
    rows = generated("rate://?start=1970-01-01&limit=2&speed=max", declared)
    assert rows["timestamp"].cast(pa.int64()).to_pylist() == [0, 1000]


@pytest.mark.parametrize(
    ("columns", "culprit"),
    [
        ([("value", "BIGINT"), ("name", "VARCHAR")], "name"),
        ([("a", "BIGINT"), ("b", "INTEGER")], "b"),
    ],
)
def test_a_column_that_nothing_fills_is_refused(source, stream, columns, culprit):
    with pytest.raises(SourceError) as caught:
        source("rate://10", stream(*columns))
    assert caught.value.message == f"rate://10: nothing fills column {culprit} of S"
    assert caught.value.hint == (
        "rate:// gives one integer and one timestamp: value BIGINT, timestamp TIMESTAMP"
    )


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        (
            "rate://often",
            "rate://often: rate is 'often'\nhint: rate is max, or a number from 0.001 to 1,000,000,000",
        ),
        (
            "rate://10?rate=5",
            "rate://10?rate=5: no option 'rate'\nhint: options are: speed, limit, burst, start",
        ),
    ],
)
def test_a_uri_that_means_nothing_is_refused(source, stream, uri, text):
    with pytest.raises(Error) as caught:
        source(uri, stream(("value", "BIGINT")))
    assert str(caught.value) == text
