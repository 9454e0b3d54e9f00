"""Aggregates as the ESL paper prints them: examples 7, 8, 10 to 13, 16 and 18."""

from __future__ import annotations

AVG = """
CREATE AGGREGATE avg(Next Real) : Real
{
TABLE state(tsum Real, cnt Int);
INITIALIZE : { INSERT INTO state VALUES (Next, 1); }
ITERATE : { UPDATE state SET tsum=tsum+Next, cnt=cnt+1; }
TERMINATE : { INSERT INTO RETURN
SELECT tsum/cnt FROM state; }
}
"""
"""Example 7."""

DECAY_ONLINE_AVG = """
CREATE AGGREGATE decay_online_avg(Next Real) : Real
{
TABLE state(tsum Real, cnt Int);
INITIALIZE : {
INSERT INTO state VALUES (Next, 1);
INSERT INTO RETURN VALUES (Next); }
ITERATE: {
UPDATE state SET tsum= 0.9*tsum + 1.1*Next, cnt=cnt+1;
INSERT INTO RETURN SELECT tsum/cnt FROM state; }
}
"""
"""Example 8."""

CUM_AVG = """
CREATE AGGREGATE cum_avg(Next Real) : Real
{
  TABLE state(tsum Real, cnt Int);
  INITIALIZE : {
    INSERT INTO state VALUES (Next, 1);
    INSERT INTO RETURN SELECT tsum/cnt FROM state;
  }
  ITERATE : {
    UPDATE state SET tsum=tsum+Next, cnt=cnt+1;
    INSERT INTO RETURN SELECT tsum/cnt FROM state;
  }
  TERMINATE : { }
}
"""
"""Example 10."""

NAIVE_AVG = """
CREATE WINDOW AGGREGATE avg(Next Real) : Real
{
  TABLE inwindow(wnext Real);
  INITIALIZE: ITERATE: {
    INSERT INTO RETURN
      SELECT avg(wnext) FROM inwindow;
  }
}
"""
"""Example 11."""

MYAVG = """
CREATE WINDOW AGGREGATE myavg(Next Real) : Real
{
  TABLE state(tsum Int, cnt Real);
  TABLE inwindow(wnext Real);
  INITIALIZE : {
    INSERT INTO state VALUES (Next, 1);
    INSERT INTO RETURN VALUES (Next);
  }
  ITERATE : {
    UPDATE state SET tsum=tsum+Next, cnt=cnt+1;
    INSERT INTO RETURN SELECT tsum/cnt FROM state;
  }
  EXPIRE: { /* when there are expired tuples take the oldest */
    UPDATE state SET cnt= cnt-1, tsum = tsum - oldest().wnext;
  }
}
"""
"""Example 12."""

WINDOW_MAX = """
CREATE WINDOW AGGREGATE max (Next Real) : Real
{
  TABLE inwindow(wnext real);
  INITIALIZE : {
    INSERT INTO RETURN VALUES (Next);
  } /* new tuples are added to inwindow automatically */
  ITERATE : {
    DELETE FROM inwindow WHERE wnext ≤ Next;
    INSERT INTO RETURN VALUES (oldest());
  }
  EXPIRE: { } /* expired tuples are removed automatically */
}
"""
"""Example 13."""

ACTIVE_MAX = """
CREATE ALGEBRAIC WINDOW AGGREGATE
  max (Next Real): Real
{ TABLE inwindow(wnext real);
  INITIALIZE : {
    INSERT INTO RETURN VALUES (Next);
  } /* new tuples added to inwindow automatically */
  ITERATE : {
    DELETE FROM inwindow WHERE wnext ≤ Next;
  }
  EXPIRE: { /*expired tuples removed automatically*/
    INSERT INTO RETURN VALUES (oldest()) }
}
"""
"""Example 16."""

ITEM_ALARM = """
AGGREGATE item_alarm(tagid, tagtype, tagtime):char
{
TABLE inwindow(tid, ttype, ttime);
INITIALIZE: ITERATE: {
DELETE FROM inwindow
WHERE tagtype = 'ap' AND ttype = 'item';
DELETE FROM inwindow
WHERE tagtype = 'item' AND ttype = 'item' AND EXISTS
(SELECT tid FROM inwindow WHERE ttype = 'ap'); }
EXPIRE: {
INSERT INTO RETURN VALUES ('larceny alarm')
WHERE tagtype = 'item' AND NOT EXISTS
(SELECT tid FROM inwindow WHERE ttype='ap'); }
}
"""
"""Example 18."""

ITEM_GROUPS = """
CREATE AGGREGATE item_groups(tagid varchar, tagtime timestamp) : (tagid varchar, groupno int)
{
TABLE last(ltime timestamp, groupno int);
INITIALIZE : {
INSERT INTO last VALUES (tagtime, 1);
INSERT INTO RETURN VALUES (tagid, 1); }
ITERATE : {
UPDATE last SET groupno = groupno + 1 WHERE tagtime - ltime > INTERVAL 2 SECONDS;
UPDATE last SET ltime = tagtime;
INSERT INTO RETURN SELECT tagid, groupno FROM last; }
}
"""
"""Example 17, which the paper describes in words: products that are detected one right after another."""

FREQUENT_ITEMS = """
CREATE WINDOW AGGREGATE frequency(Item int) : bigint
{
TABLE inwindow(witem int);
TABLE counts(hash int, bucket int, number bigint);
INITIALIZE : {
INSERT INTO counts SELECT h, b, 0 FROM
  (SELECT unnest(range(3)) AS h) AS hashes, (SELECT unnest(range(64)) AS b) AS buckets;
UPDATE counts SET number = number + 1 WHERE bucket = hash(Item, hash) % 64;
INSERT INTO RETURN VALUES (1); }
ITERATE : {
UPDATE counts SET number = number + 1 WHERE bucket = hash(Item, hash) % 64;
INSERT INTO RETURN SELECT min(number) FROM counts WHERE bucket = hash(Item, hash) % 64; }
EXPIRE : {
UPDATE counts SET number = number - 1 WHERE bucket = hash(oldest(), hash) % 64; }
}
"""
"""Section 6.1, in words: approximate frequent items, by counting in several hash tables."""

SAMPLE = """
CREATE WINDOW AGGREGATE sample(Item int, Priority double) : int
{
TABLE inwindow(witem int, wpriority double);
INITIALIZE: ITERATE: {
DELETE FROM inwindow WHERE wpriority ≤ Priority;
INSERT INTO RETURN VALUES (oldest().witem); }
EXPIRE: { }
}
"""
"""Section 4, in words: a sample of a window is what has the highest priority."""
