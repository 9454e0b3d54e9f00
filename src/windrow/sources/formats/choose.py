"""The decoder that a source's URI asks for: `format=csv|json`, and how the CSV is written."""

from __future__ import annotations

from windrow.catalog import Stream
from windrow.errors import SourceError
from windrow.sources.formats.base import Decoder
from windrow.sources.formats.csv import CsvDecoder, CsvOptions
from windrow.sources.formats.json_lines import JsonDecoder
from windrow.uri import Uri

TEXT_OPTIONS = ("format", "header", "delimiter", "quote", "null", "max_line")
"""The options of a URI that say how its text is to be read."""

_HEADERS = {"true": True, "false": False, "auto": None}
_SPELT_OUT = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}


def text_decoder(uri: Uri, stream: Stream, format_: str) -> Decoder:
    """The decoder of a text format. Raises SourceError, with the choices, if there is none."""
    if format_ == "json":
        return JsonDecoder(stream)
    return CsvDecoder(stream, csv_options(uri))


def check_format(uri: Uri, format_: str, *choices: str) -> None:
    if format_ not in choices:
        raise SourceError(f"{uri.text}: no format '{format_}'", hint=f"formats are: {', '.join(choices)}")


def csv_options(uri: Uri) -> CsvOptions:
    """How the URI says that its CSV is written."""
    header = uri.options.get("header", "auto").lower()
    if header not in _HEADERS:
        raise SourceError(f"{uri.text}: header cannot be '{header}'", hint="say true, false or auto")
    quote = uri.options.get("quote", '"')
    options = CsvOptions(
        header=_HEADERS[header],
        delimiter=_character(uri, "delimiter", uri.options.get("delimiter", ",")),
        quote=None if quote == "none" else _character(uri, "quote", quote),
        null=uri.options.get("null"),
    )
    if options.delimiter == options.quote:
        raise SourceError(f"{uri.text}: delimiter and quote are the same character")
    return options


def whole_number(uri: Uri, name: str, default: int) -> int:
    """An option that counts something, so at least 1."""
    text = uri.options.get(name, str(default))
    if not text.isdecimal() or int(text) < 1:
        raise SourceError(f"{uri.text}: {name} cannot be '{text}'", hint="say a whole number above 0")
    return int(text)


def _character(uri: Uri, name: str, text: str) -> str:
    character = _SPELT_OUT.get(text, text)
    if len(character) != 1 or not character.isascii() or character in "\r\n\0":
        hint = f"say one character, or one of: {', '.join(_SPELT_OUT)}"
        raise SourceError(f"{uri.text}: {name} cannot be '{text}'", hint=hint)
    return character
