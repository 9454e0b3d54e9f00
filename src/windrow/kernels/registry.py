"""The kernels: functions on numbers that numba compiles, each with the one signature it is used at.

A kernel is compiled, or loaded from numba's cache on disk, at its first call and not at import;
until then numba itself is not imported. The cache lies beside the source file, or in the user's
cache folder where that cannot be written. `warm` fills it, so that nobody waits while data flows.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

MODULES = (
    "windrow.kernels.calendar",
    "windrow.kernels.chains",
    "windrow.kernels.clocks",
    "windrow.kernels.counted",
    "windrow.kernels.counting",
    "windrow.kernels.coupling",
    "windrow.kernels.covers",
    "windrow.kernels.delta_star",
    "windrow.kernels.digits",
    "windrow.kernels.distinct_values",
    "windrow.kernels.events",
    "windrow.kernels.extremes",
    "windrow.kernels.gathering",
    "windrow.kernels.halves",
    "windrow.kernels.hashing",
    "windrow.kernels.heaps",
    "windrow.kernels.loners",
    "windrow.kernels.members",
    "windrow.kernels.moments",
    "windrow.kernels.multiset",
    "windrow.kernels.netting",
    "windrow.kernels.number_keys",
    "windrow.kernels.pairing",
    "windrow.kernels.panes",
    "windrow.kernels.probing",
    "windrow.kernels.ranking",
    "windrow.kernels.scanned_ranks",
    "windrow.kernels.slides",
    "windrow.kernels.slots",
    "windrow.kernels.sorted_blocks",
    "windrow.kernels.steps",
    "windrow.kernels.timers",
    "windrow.kernels.yields",
)
"""Where kernels are declared."""

_kernels: dict[str, Kernel[..., Any]] = {}


class Kernel(Generic[Arguments, Result]):
    """A function and its numba signature. Calling it runs the machine code, without the GIL."""

    def __init__(self, signature: str, function: Callable[Arguments, Result]) -> None:
        self.signature = signature
        self.function = function
        self.name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"

    def __call__(self, *arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        return self.compiled(*arguments, **named)

    @cached_property
    def compiled(self) -> Callable[Arguments, Result]:
        import numba

        try:
            compiled: Any = numba.njit(self.signature, cache=True, nogil=True)(self.function)
        except RuntimeError:
            # numba finds no folder to cache in; then every process compiles for itself.
            compiled = numba.njit(self.signature, nogil=True)(self.function)
        return compiled  # type: ignore[no-any-return]

    @property
    def _numba_type_(self) -> Any:
        """What lets one kernel call another of its module. Numba's cache sees no change in other files."""
        import numba

        typeof: Any = numba.typeof
        return typeof(self.compiled)

    def is_cached(self) -> bool:
        """Whether machine code for this machine and this source text lies in the cache."""
        caching = importlib.import_module("numba.core.caching")
        target = importlib.import_module("numba.core.registry").cpu_target.target_context
        try:
            return caching.FunctionCache(self.function).load_overload(self.signature, target) is not None
        except RuntimeError:
            return False


def kernel(signature: str) -> Callable[[Callable[Arguments, Result]], Kernel[Arguments, Result]]:
    """Declare a kernel: `@kernel("int64(Array(int64, 1, 'C', True), int64)")` above a function.

    The array above is one that the kernel only reads: Arrow's arrays cannot be written, and fit no
    other signature.
    """

    def declare(function: Callable[Arguments, Result]) -> Kernel[Arguments, Result]:
        declared = Kernel(signature, function)
        _kernels[declared.name] = declared
        return declared

    return declare


def kernels() -> tuple[Kernel[..., Any], ...]:
    """All kernels, by name."""
    for module in MODULES:
        importlib.import_module(module)
    return tuple(_kernels[name] for name in sorted(_kernels))


def warm(progress: Callable[[int, int, str], None]) -> None:
    """Compile every kernel into the cache, telling how many of how many are done, and the next."""
    todo = kernels()
    for done, each in enumerate(todo):
        progress(done, len(todo), each.name)
        _ = each.compiled
    progress(len(todo), len(todo), "")


def is_warm() -> bool:
    """Whether no kernel needs compiling any more."""
    return all(each.is_cached() for each in kernels())
