"""The grammar of all statements, and sentences of it drawn by chance.

Each rule is a name and its forms, a line each; in a form, <name> stands for another rule. The first form
of a rule leads to an end soonest: deep in a sentence it alone is taken. Sentences need not make sense:
names are of streams, tables, columns and aggregates that there are, but in any place.
"""

from __future__ import annotations

import re
from random import Random

GRAMMAR = r"""
statement
    <select>
    EXPLAIN <format> <query>
    <query>
    <create>
    <aggregate>
    INSERT INTO 'console:' <query>
    INSERT INTO <stream> (<columns>) VALUES (<values>), (<values>)
    INSERT INTO Item SELECT <items> FROM Item WHERE <predicate>
    INSERT OR REPLACE INTO Item VALUES (<values>)
    UPDATE Item SET name = <expression>, price = <expression> WHERE <predicate>
    DELETE FROM Item WHERE <predicate>
    SNAPSHOT <query>
    SHOW <shown>
    DESCRIBE <stream>
    DROP <kind> <if> <stream>
    SET <setting> = <value>
    ADVANCE <stream> TO TIMESTAMP '2026-01-01 12:00:00'
    ADVANCE CLOCK BY <duration>
    ASSERT ANSWER OF q AS (VALUES (<values>), (<values>))
    ASSERT CHANGES OF q WITH TIMES IS EMPTY
    ASSERT ERROR '<word>' FOR <statement>
format

    TEXT
    JSON
    DOT
shown
    STREAMS
    TABLES
    QUERIES
    AGGREGATES
    SETTINGS
kind
    STREAM
    TABLE
    NRR
    QUERY
    AGGREGATE
    WINDOW AGGREGATE
if

    IF EXISTS
    IF NOT EXISTS
setting
    batch_rows
    expiration
    allow_unbounded
    idle_timeout
value
    1
    true
    5 minutes
    'direct'
    -<number>
create
    CREATE STREAM s (<definitions>)
    CREATE STREAM s (<definitions>) ORDER BY t SLACK <duration> RETAIN <duration>; SOURCE 'push'
    CREATE STREAM s AS <query>
    CREATE STREAM larceny-in-progress AS <query>
    CREATE STREAM s AS SELECT * FROM s
    CREATE STREAM s (<columns>) AS <query>
    CREATE TABLE r (<definitions>, PRIMARY KEY (<columns>))
    CREATE NRR r (a INT PRIMARY KEY, <definitions>)
    CREATE QUERY q AS <query>
definitions
    a int, t timestamp
    a <type>, <definitions>
    b <type>, t timestamp
type
    INT
    VARCHAR
    DECIMAL(9, 2)
    STRUCT(x <type>, y INT)
    <type>[]
    char(10)
    real
    NOPE
query
    <select>
    <query> <set> <query>
    (<query>)
    Rstream(<select>)
    Istream-restore(<select>)
    WITH w AS (<query>) SELECT * FROM w
    <select> ORDER BY <expression> LIMIT <number>
set
    UNION ALL
    UNION
    INTERSECT
    INTERSECT ALL
    EXCEPT
    EXCEPT ALL
select
    SELECT <items> FROM <source>
    SELECT <items> FROM <from> WHERE <predicate>
    SELECT DISTINCT <items> FROM <from> WHERE <predicate>
    SELECT <output>(<items>) FROM <from>
    SELECT <columns>, <call> FROM <from> WHERE <predicate> GROUP BY <columns> HAVING <predicate>
    SELECT <call> FROM <from> GROUP BY <grouping>
    SELECT <columns>, <over> FROM <stream>
output
    Istream
    Dstream
    Rstream
    Istream-restore
    Rstream-restore
items
    *
    <item>
    <item>, <items>
    DISTINCT <items>
    Bid.*
    * EXCLUDE (price)
item
    <column>
    <expression> AS c<number>
    <call>
    <over>
    SUM(Wstream(SUM(price))<window>)
    (SELECT <call> FROM <source>)
columns
    itemID
    <column>
    <column>, <columns>
grouping
    itemID
    <expression>
    ALL
    ROLLUP (<columns>)
    ()
from
    <source>
    <source>, <from>
    <source> <join> <source> ON <predicate>
    <source> <join> <source> USING (itemID)
    <source> NATURAL JOIN <source>
    <source> <join> (<from>) ON <predicate>
join
    JOIN
    LEFT JOIN
    RIGHT JOIN
    FULL OUTER JOIN
    CROSS JOIN
    SEMI JOIN
    ANTI JOIN
    ASOF JOIN
source
    <stream> <window>
    <stream> <window> AS x<number>
    (<query>) <window> AS y<number>
    <stream>
    Item
    Seller
    Seller AS s<number>
    (SELECT sum(price), itemID FROM Bid [NOW] GROUP BY itemID)
    unnest([1])
    range(5)
stream
    Bid
    OpenAuction
    ClosedAuction
    Bid.late
    Nothing
window
    [RANGE <duration>]
    [ROWS <number>]
    [RANGE <duration> SLIDE <duration>]
    [ROWS <number> SLIDE <number>]
    [PARTITION BY itemID ROWS <number>]
    [PARTITION BY itemID, price ROWS <number> SLIDE <number>]
    [NOW]
    [UNBOUNDED]
    [UNBOUNDED SLIDE <duration>]
    [RANGE <duration> INTERNAL]
    [WINDOW 10 min SLIDE 2 min]
duration
    5 MINUTES
    <number> SECONDS
    1 hour
    30 us
    0 days
    -<number> MINUTES
number
    3
    0
    17
    1000000007
    99999999999999999999
    1.5
predicate
    price > 1
    <expression> <comparison> <expression>
    <predicate> AND <predicate>
    <predicate> OR <predicate>
    NOT <predicate>
    (<predicate>)
    <expression> IS NOT NULL
    <expression> BETWEEN <expression> AND <expression>
    <expression> IN (<values>)
    <expression> IN (<query>)
    itemID IN (SELECT id FROM Seller WHERE <predicate>)
    itemID = Seller.id
    <expression> NOT IN (<query>)
    EXISTS (<query>)
    NOT EXISTS (SELECT 1 FROM Bid [RANGE <duration>] AS z WHERE z.itemID = <column>)
    <expression> <comparison> ALL (<query>)
    <expression> LIKE '<word>%'
comparison
    =
    <>
    <
    >=
    ≤
    IS DISTINCT FROM
expression
    <column>
    <atom>
    <expression> <operator> <expression>
    -<expression>
    (<expression>)
    <function>(<expression>)
    CAST(<expression> AS <type>)
    <expression>::<type>
    CASE WHEN <predicate> THEN <expression> ELSE <expression> END
    CASE <expression> WHEN <expression> THEN <expression> END
    [<expression>, <expression>]
    {'a': <expression>}
    (SELECT max(price) FROM Bid [NOW])
    list_transform([<expression>], lambda v: v + <expression>)
    [v * 2 FOR v IN [<expression>] IF v > 1]
    TIMESTAMP '2026-01-01' + INTERVAL <number> DAY
    extract(year FROM <expression>)
operator
    +
    *
    /
    ||
    %
    AND
    ->
    **
atom
    1
    'x'
    NULL
    true
    1e308
    DATE '2026-02-30'
    ''
    ?
column
    itemID
    price
    Bid.price
    x3.itemID
    sellerID
    Seller.id
    bid_time
    start_time
    current_time
    nothing
    "Bid"
    Bid.nothing.more
function
    lower
    abs
    coalesce
    now
    random
    nope
    unnest
    row
    myavg
values
    1, 'x'
    <expression>
    <expression>, <values>
call
    count(*)
    sum(<expression>)
    avg(DISTINCT <expression>)
    min(<expression>) FILTER (WHERE <predicate>)
    string_agg(sellerID, ',' ORDER BY price)
    quantile_cont(price, 0.5)
    myavg(<expression>)
    extremes(price)
    decay_online_avg(price)
    max(sum(price))
    grouping(itemID)
over
    count(*) OVER (ROWS 5 PRECEDING)
    sum(<expression>) OVER (PARTITION BY <columns> RANGE <duration> PRECEDING)
    min(price) OVER (PARTITION BY itemID RANGE UNBOUNDED PRECEDING)
    myavg(price) OVER (RANGE <duration> PRECEDING SLIDE <duration>)
    max(price) OVER (RANGE <duration> PRECEDING ACTIVE EXPIRATION)
    sum(price) OVER (ROWS <number> PRECEDING SLIDE <number>)
    lag(price) OVER (ORDER BY price)
    rank() OVER ()
word
    x
    a b
    it''s
aggregate
    CREATE AGGREGATE g(Next Real) : Real { INITIALIZE: ITERATE: { <action> } }
    CREATE <form> g(Next <type>, k INT) : <returns> { <tables> <first> <actions>} }
    <form> g(Next Real) : Real { <tables> <first> <actions>} TERMINATE: {<actions>} }
    CREATE WINDOW AGGREGATE g(wnext Real) : Real { <tables> <first> <actions>} EXPIRE: {<actions>} }
    CREATE AGGREGATE g(a INT) : INT LANGUAGE PYTHON AS '<word>:Class'
form
    AGGREGATE
    WINDOW AGGREGATE
    ALGEBRAIC WINDOW AGGREGATE
first
    INITIALIZE: ITERATE: {
    INITIALIZE: {<actions>} ITERATE: {
returns
    Real
    (low Real, high <type>)
tables

    TABLE state(tsum Real, cnt INT);
    TABLE state(tsum Real, cnt INT); TABLE other(k <type>);
actions
    <action>
    <action>; <actions>
    /* remark */ <action>;
action
    INSERT INTO RETURN VALUES (Next)
    INSERT INTO state VALUES (<values>)
    INSERT INTO RETURN SELECT tsum / cnt FROM state WHERE <condition>
    INSERT INTO state SELECT <expression>, 1 FROM inwindow
    INSERT INTO inwindow VALUES (1)
    UPDATE state SET tsum = tsum + Next, cnt = <expression> WHERE <condition>
    DELETE FROM state WHERE <condition>
    DELETE FROM inwindow WHERE <condition>
    INSERT INTO RETURN VALUES (oldest())
condition
    cnt > 1
    <predicate>
    EXISTS (SELECT tsum FROM state WHERE <condition>)
    Next NOT IN (SELECT tsum FROM state)
    Next ≤ oldest().wnext
"""

_REFERENCE = re.compile(r"<(\w+)>")


def _read(grammar: str) -> dict[str, list[str]]:
    rules: dict[str, list[str]] = {}
    for line in grammar.strip("\n").split("\n"):
        if line and not line.startswith(" "):
            rules[line] = forms = []
        else:
            forms.append(line.strip())
    return rules


RULES = _read(GRAMMAR)


def sentence(chance: Random, rule: str = "statement", depth: int = 6) -> str:
    """A sentence of a rule; below so many levels it comes to an end."""
    forms = RULES[rule]
    form = forms[0] if depth <= 0 else chance.choice(forms)
    return _REFERENCE.sub(lambda found: sentence(chance, found[1], depth - 1), form)
