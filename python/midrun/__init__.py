"""midrun tunes MPI programs while they run. This package is its interface for programs that use mpi4py.

`midrun.futures.MPIFarm` distributes tasks over the ranks. A program with a loop of its own marks its iterations, and
exposes values that midrun may change:

    block = midrun.expose("block", 64, 8, 256)
    for step in range(steps):
        with midrun.iteration():
            compute(block.value)

Under `midrun run` the values are tuned; without it, and without libmidrun, the same program runs with the values that it
gives.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from . import _library
from ._library import LibraryNotFound, MidrunError

__all__ = [
    "LibraryNotFound",
    "MidrunError",
    "TuningPoint",
    "chunk_done",
    "expose",
    "is_tuned",
    "iteration",
    "next_chunk",
    "safe_point",
    "work",
]
__version__ = "0.1.0"

Number = TypeVar("Number", int, float)


def is_tuned() -> bool:
    """Whether an agent records this rank. Call it between iterations: it is a safe point."""
    return safe_point()


def _mark(name: str, *arguments: object) -> bool:
    library = _library.optional()
    if library is None:
        return False
    return bool(_library.check(getattr(library, name)(*arguments), name) == _library.OK)


@contextmanager
def iteration(tasks: int = 0, workers: int = 0) -> Iterator[None]:
    """An iteration of `tasks` tasks for `workers` workers (midrun_iteration_begin, midrun_iteration_end).

    The master, or rank 0 of a program without tasks, gives its number of workers (at least 1); other ranks give none.
    The beginning is a safe point: values of tuning points may change there.
    """
    _mark("midrun_iteration_begin", tasks, workers)
    try:
        yield
    finally:
        _mark("midrun_iteration_end")


@contextmanager
def work(first: int = 0, tasks: int = 1) -> Iterator[None]:
    """A worker computes `tasks` tasks, of which `first` is the first (midrun_work_begin, midrun_work_end)."""
    _mark("midrun_work_begin", first, tasks)
    try:
        yield
    finally:
        _mark("midrun_work_end")


def next_chunk(worker: int) -> int:
    """Master, in an iteration: the number of tasks that `worker` (from 0) shall get next; 0 when none is left.

    Raises LibraryNotFound without libmidrun, which knows the scheduling techniques.
    """
    return int(_library.library().midrun_next_chunk(worker))


def chunk_done(worker: int, tasks: int, seconds: float) -> bool:
    """Master: `worker` took `seconds` to compute a chunk of `tasks` tasks. Returns whether this rank is tuned."""
    return _mark("midrun_chunk_done", worker, tasks, seconds)


def safe_point() -> bool:
    """Values of tuning points may change here (midrun_safe_point). Returns whether this rank is tuned."""
    return _mark("midrun_safe_point")


class TuningPoint(Generic[Number]):
    """A value that midrun may change at safe points. `value` reads it, or sets it."""

    def __init__(self, name: str, cell: ctypes.c_int | ctypes.c_double) -> None:
        self.name, self._cell = name, cell

    @property
    def value(self) -> Number:
        """The value now."""
        return self._cell.value  # type: ignore[return-value]

    @value.setter
    def value(self, value: Number) -> None:
        self._cell.value = value

    def __repr__(self) -> str:
        return f"TuningPoint({self.name!r}, value={self.value!r})"


# The shim keeps the addresses for as long as the process lives.
_exposed: list[ctypes.c_int | ctypes.c_double] = []


def expose(name: str, value: Number, minimum: Number, maximum: Number) -> TuningPoint[Number]:
    """Exposes a tuning point with a value at start and a range: integers if all three are, else floating point.

    `name` has at most 31 bytes. Raises MidrunError for a name or a range that midrun cannot take.
    """
    if not minimum <= value <= maximum:
        raise ValueError(f"the tuning point {name!r} starts at {value}, outside of its range {minimum} to {maximum}")
    whole = all(isinstance(number, int) for number in (value, minimum, maximum))
    cell: ctypes.c_int | ctypes.c_double = ctypes.c_int(value) if whole else ctypes.c_double(value)  # type: ignore[arg-type]
    if whole and not -(2**31) <= minimum <= maximum < 2**31:
        raise ValueError(f"the range of the tuning point {name!r} is not of 32-bit integers")
    _exposed.append(cell)
    function = "midrun_expose_int" if whole else "midrun_expose_double"
    _mark(function, name.encode(), ctypes.byref(cell), minimum, maximum)
    return TuningPoint(name, cell)
