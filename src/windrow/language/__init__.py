"""The language: from SQL text to statements, and from queries to plans.

`parse` gives typed statements with their places in the text, `define` what CREATE STREAM declares,
`bind` the plan of a query.
"""

from windrow.language.binder import bind
from windrow.language.define import check_drop, define, streams_named, users_of
from windrow.language.inserting import inserted
from windrow.language.parser import parse, parse_query
from windrow.language.settings import SETTINGS, Setting, Settings
from windrow.language.timestamps import timestamp_column, timestamp_positions

__all__ = [
    "SETTINGS",
    "Setting",
    "Settings",
    "bind",
    "check_drop",
    "define",
    "inserted",
    "parse",
    "parse_query",
    "streams_named",
    "timestamp_column",
    "timestamp_positions",
    "users_of",
]
