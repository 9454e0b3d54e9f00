"""The theft alarm, from generated readings at doors to alarms."""

from __future__ import annotations

import windrow
from windrow import library

WITHIN = 5_000_000
DOORS = "demo://rfid/doors?limit=2000&speed=max&rate=100&start=2026-01-31T12:00:00"


def test_alarms_are_the_items_that_nobody_accompanied() -> None:
    with windrow.connect(runner="inline") as db:
        db.execute(library.text("theft"))
        db.execute(
            "CREATE STREAM Door (tagid VARCHAR, tagtype VARCHAR, tagtime TIMESTAMP, door VARCHAR)"
            f" ORDER BY tagtime SOURCE '{DOORS}'"
        )
        alarms = db.query(
            "SELECT theft_alarm(tagid, tagtype) OVER (PARTITION BY door RANGE 5 SECONDS PRECEDING"
            " ACTIVE EXPIRATION) AS item, door FROM Door"
        )
        readings = db.query("SELECT tagid, tagtype, epoch_us(tagtime) AS seen, door FROM Door")
        db.run_until_idle()
        rows = readings.answer().to_pylist()
        found = sorted((each["item"], each["door"]) for each in alarms.answer().to_pylist())
    people = [(each["door"], each["seen"]) for each in rows if each["tagtype"] == "ap"]
    last = max(each["seen"] for each in rows)
    expected = sorted(
        (each["tagid"], each["door"])
        for each in rows
        if each["tagtype"] == "item"
        and each["seen"] + WITHIN < last
        and not any(door == each["door"] and abs(each["seen"] - seen) <= WITHIN for door, seen in people)
    )
    assert expected
    assert set(expected) <= set(found)
    assert len(set(found) - set(expected)) <= sum(each["seen"] + WITHIN >= last for each in rows)
