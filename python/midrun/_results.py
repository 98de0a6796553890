"""How the results of a map come to its caller."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from queue import Empty
from typing import Any

from ._batch import Many


def pieces(batch: Many, until: float | None) -> Iterator[tuple[int, list[Any]]]:
    """First task and results of each chunk, as they come. Raises TimeoutError at `until` (monotonic seconds)."""
    missing = len(batch)
    piece: Any = None
    # The end comes after the last results, so that `last_iteration` is that of this map.
    while missing or piece is not None:
        if until is None:
            piece = batch.results.get()
        else:
            try:
                piece = batch.results.get(timeout=max(until - time.monotonic(), 0))
            except Empty:
                raise TimeoutError(f"{missing} of {len(batch)} tasks were not done in time") from None
        if isinstance(piece, BaseException):
            raise piece
        if piece is not None:
            missing -= len(piece[1])
            yield piece


def as_completed(pieces: Iterator[tuple[int, list[Any]]]) -> Iterator[list[Any]]:
    """The results of each chunk, as they come."""
    return (results for _, results in pieces)


def in_order(pieces: Iterator[tuple[int, list[Any]]]) -> Iterator[list[Any]]:
    """The results of each chunk, in the order of their tasks."""
    early: dict[int, list[Any]] = {}
    following = 0
    for first, results in pieces:
        early[first] = results
        while following in early:
            ready = early.pop(following)
            following += len(ready)
            yield ready


def shown(pieces: Iterator[list[Any]], total: int) -> Iterator[list[Any]]:
    """With a bar of tqdm, where it is installed."""
    try:
        from tqdm import tqdm  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        warnings.warn("progress is not shown: tqdm is not installed", stacklevel=4)
        yield from pieces
        return
    with tqdm(total=total) as bar:
        for results in pieces:
            bar.update(len(results))
            yield results
