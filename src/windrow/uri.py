"""Where tuples come from and go to: `scheme://rest?option=value`, or ESL's `portNNNN`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from windrow.errors import Error


@dataclass(frozen=True, slots=True)
class Uri:
    """A parsed URI of a source or sink: `scheme://rest?option=value`, or `portNNNN`."""

    scheme: str
    rest: str
    options: Mapping[str, str]
    text: str

    @classmethod
    def parse(cls, text: str) -> Uri:
        if text.startswith("port") and text[4:].isdigit():
            return cls("tcp", f"127.0.0.1:{text[4:]}", {}, text)
        parts = urlsplit(text if ":" in text else f"{text}:")
        return cls(parts.scheme, f"{parts.netloc}{parts.path}", dict(parse_qsl(parts.query)), text)

    def check_options(self, *known: str) -> None:
        """Refuse options that nobody knows, naming those that there are."""
        for name in self.options:
            if name not in known:
                choices = ", ".join(known) or "none"
                raise Error(f"{self.text}: no option '{name}'", hint=f"options are: {choices}")
