import pytest

from windrow.errors import Error
from windrow.sources.generator_options import GeneratorOptions
from windrow.uri import Uri

ALL = ("rate", "speed", "seed", "limit", "burst", "start")


def parse(query: str) -> GeneratorOptions:
    return GeneratorOptions.parse(Uri.parse(f"demo://x?{query}"), *ALL)


def test_without_options_a_thousand_tuples_a_second_of_world_one():
    assert parse("") == GeneratorOptions(rate=1000, speed=1, seed=1, limit=None, burst=1, start=None)


def test_every_option_is_read():
    told = parse("rate=2.5&speed=10&seed=7&limit=0&burst=5&start=1970-01-01T00:00:01.5")
    assert told == GeneratorOptions(rate=2.5, speed=10, seed=7, limit=0, burst=5, start=1_500_000)


def test_rate_max_holds_nothing_back_and_spaces_tuples_as_by_default():
    assert parse("rate=max") == parse("rate=1000&speed=max") == GeneratorOptions(rate=1000, speed=None)


def test_a_start_with_a_time_zone_is_told_in_utc():
    assert parse("start=1970-01-01T02:00:01%2B02:00").start == 1_000_000


@pytest.mark.parametrize(
    ("query", "message", "hint"),
    [
        ("rate=fast", "rate is 'fast'", "rate is max, or a number from 0.001 to 1,000,000,000"),
        ("rate=0", "rate is '0'", "rate is max, or a number from 0.001 to 1,000,000,000"),
        ("rate=nan", "rate is 'nan'", "rate is max, or a number from 0.001 to 1,000,000,000"),
        ("speed=-1", "speed is '-1'", "speed is max, or a number from 0.001 to 1,000,000,000"),
        ("seed=x", "seed is 'x'", "seed is a whole number, 0 or more"),
        ("limit=-5", "limit is '-5'", "limit is a whole number, 0 or more"),
        ("limit=1e6", "limit is '1e6'", "limit is a whole number, 0 or more"),
        (
            "burst=0.5",
            "burst is '0.5'",
            "burst is 1 or more: burst=5 sends five times as fast for a fifth of the time",
        ),
        ("start=noon", "start is 'noon'", "start is an instant such as 2026-01-31T12:00:00"),
        (
            "rate=max&speed=2",
            "rate=max leaves nothing for speed to say",
            "rate=5000&speed=max has event times of 5000 tuples a second, as fast as can be",
        ),
        ("sped=2", "no option 'sped'", "options are: rate, speed, seed, limit, burst, start"),
    ],
)
def test_an_option_that_cannot_be_is_refused_with_what_can(query, message, hint):
    with pytest.raises(Error) as caught:
        parse(query)
    assert caught.value.message == f"demo://x?{query}: {message}"
    assert caught.value.hint == hint
