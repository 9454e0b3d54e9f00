"""`python -m windrow.kernels` compiles all kernels into numba's cache, so that nobody waits later."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from windrow.kernels.registry import warm


def warm_with_bar(console: Console) -> None:
    """Compile what is not in the cache yet, and show how far that is."""
    columns = (TextColumn("compiling kernels"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.description}"), console=console) as bar:
        task = bar.add_task("", total=None)
        warm(lambda done, total, name: bar.update(task, completed=done, total=total, description=name))


if __name__ == "__main__":
    warm_with_bar(Console(stderr=True))
