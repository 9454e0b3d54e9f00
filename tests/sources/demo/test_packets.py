import duckdb
import pytest

COLUMNS = [
    ("ts", "TIMESTAMP"),
    ("duration", "DOUBLE"),
    ("protocol", "VARCHAR"),
    ("src", "VARCHAR"),
    ("dst", "VARCHAR"),
    ("bytes", "BIGINT"),
]


@pytest.fixture
def trace(generated, stream):
    def one(link, limit=300_000):
        return generated(f"demo://packets{link}?rate=max&start=2026-01-01&limit={limit}", stream(*COLUMNS))

    with duckdb.connect() as connection:
        connection.register("packets", one(""))
        connection.register("link1", one("/1"))
        connection.register("link2", one("/2"))
        yield connection


@pytest.mark.parametrize("table", ["packets", "link1", "link2"])
def test_there_are_1650_sources_of_skewed_frequency(trace, table):
    counts = trace.sql(f"SELECT count(*) FROM {table} GROUP BY src ORDER BY 1 DESC").fetchall()
    assert len(counts) == 1650
    first = counts[0][0]
    assert [first / counts[rank - 1][0] for rank in (2, 10, 100)] == pytest.approx([2, 10, 100], rel=0.15)


def test_destinations_are_skewed_too(trace):
    counts = trace.sql("SELECT count(*) FROM link1 GROUP BY dst ORDER BY 1 DESC").fetchall()
    assert len(counts) == 1000
    assert counts[0][0] / counts[9][0] == pytest.approx(10, rel=0.15)


@pytest.mark.parametrize("table", ["packets", "link1", "link2"])
def test_telnet_is_ten_times_as_frequent_as_ftp(trace, table):
    ((ratio,),) = trace.sql(
        f"SELECT count(*) FILTER (protocol = 'telnet') / count(*) FILTER (protocol = 'ftp') FROM {table}"
    ).fetchall()
    assert ratio == pytest.approx(10, rel=0.1)


def test_http_and_dns_lead_the_protocols(trace):
    names = trace.sql("SELECT protocol FROM packets GROUP BY protocol ORDER BY count(*) DESC").fetchall()
    assert [name for (name,) in names] == ["http", "dns", "smtp", "telnet", "nntp", "finger", "pop3", "ftp"]


def test_links_share_sources_but_no_destination(trace):
    ((shared,),) = trace.sql("SELECT count(*) FROM link1 JOIN link2 USING (dst)").fetchall()
    assert shared == 0
    ((same,),) = trace.sql(
        "SELECT count(*) FROM (SELECT src FROM link1 INTERSECT SELECT src FROM link2)"
    ).fetchall()
    assert same == 1650


def test_addresses_are_distinct_octets(trace):
    ((most, sources),) = trace.sql("""
        SELECT max(list_max([octet::INTEGER FOR octet IN split(src, '.')])), count(DISTINCT src)
        FROM packets""").fetchall()
    assert most <= 255
    assert sources == 1650


def test_sessions_last_and_transfers_weigh_as_their_protocol_does(trace):
    medians = dict(
        trace.sql("SELECT protocol, (median(duration), median(bytes)) FROM packets GROUP BY ALL").fetchall()
    )
    assert medians["telnet"][0] == pytest.approx(60, rel=0.05)
    assert medians["ftp"][1] == pytest.approx(60_000, rel=0.1)
    assert medians["dns"][0] == pytest.approx(0.05, rel=0.05)
    ((least, shortest),) = trace.sql("SELECT min(bytes), min(duration) FROM packets").fetchall()
    assert least >= 1
    assert shortest > 0
