"""A database for the length of a command: opened with a word of what happens, closed whatever happens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from windrow.cli.console import err
from windrow.cli.signals import uninterrupted

if TYPE_CHECKING:
    from windrow.database import Database
    from windrow.log.inlet import WallClock

DEFAULT_MASTER = "local[*]"


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says about the database."""

    runner: Literal["spark", "inline"] = "spark"
    master: str = DEFAULT_MASTER
    checkpoint: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


def working(what: str) -> AbstractContextManager[Any]:
    """A spinner with what happens, where someone sees it."""
    return err().status(f"{what} …") if err().is_terminal else nullcontext()


@contextmanager
def opened(options: Options, *, wall_clock: WallClock | None = None) -> Iterator[Database]:
    """Open it; `wall_clock` is one to go by instead of that on the wall."""
    with working("opening"):
        from windrow.database import connect
        from windrow.log.inlet import wall_clock as on_the_wall

        db = connect(
            runner=options.runner,
            master=options.master,
            checkpoint=options.checkpoint,
            wall_clock=wall_clock or on_the_wall,
            **options.settings,
        )
    try:
        yield db
    except KeyboardInterrupt:
        with uninterrupted(), working("closing"), suppress(Exception):
            db.close()  # whatever was told to end with us may have ended before us
        raise
    except BaseException:
        with uninterrupted(), working("closing"):
            db.close()
        raise
    with uninterrupted(), working("closing"):
        db.close()
