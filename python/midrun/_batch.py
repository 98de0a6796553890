"""Batches of tasks: what the master packs, what a worker computes, and what comes back."""

from __future__ import annotations

import pickle
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, NamedTuple


class RemoteTraceback(Exception):
    """The cause of an exception that a task raised: its traceback on the worker, as text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return self.text


class Failure(NamedTuple):
    """Takes the place of a result: the exception of a task, and its traceback as text."""

    error: BaseException
    text: str

    def exception(self) -> BaseException:
        """The exception, with the traceback as its cause."""
        if self.text:
            self.error.__cause__ = RemoteTraceback(f'\n"""\n{self.text}"""')
        return self.error


class Refused(NamedTuple):
    """Takes the place of a task's arguments: it cannot be sent, or its result is not wanted any more."""

    sentence: str


class Many:
    """The tasks of a map: one function, and the arguments of each task. Chunks of results go to a queue."""

    def __init__(self, function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> None:
        self.function, self.arguments = function, arguments
        # First task and results of each chunk; then None, or what went wrong.
        self.results: SimpleQueue[tuple[int, list[Any]] | BaseException | None] = SimpleQueue()
        self.cancelled = False
        self.iteration: int | None = None  # once it has begun

    def __len__(self) -> int:
        return len(self.arguments)

    def tasks(self, first: int, count: int) -> tuple[Callable[..., Any] | None, list[Any]]:
        """The function and the arguments of tasks `first` to `first + count - 1`."""
        if self.cancelled:
            return None, [Refused("cancelled")] * count
        return self.function, list(self.arguments[first : first + count])

    def deliver(self, first: int, results: list[Any]) -> None:
        """Results of tasks from `first` on."""
        self.results.put((first, results))

    def end(self, error: BaseException | None) -> None:
        """The iteration is over. With an error, results are missing."""
        self.results.put(error)


class Single(NamedTuple):
    """A task of `submit`."""

    future: Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


def call(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Calls the function of a `submit`."""
    return function(*arguments, **keywords)


class Singles:
    """Tasks of `submit` that had come when the iteration began."""

    def __init__(self, singles: Sequence[Single]) -> None:
        self.singles = singles
        self.iteration: int | None = None

    def __len__(self) -> int:
        return len(self.singles)

    def tasks(self, first: int, count: int) -> tuple[Callable[..., Any] | None, list[Any]]:
        """As `Many.tasks`."""
        return call, [single[1:] for single in self.singles[first : first + count]]

    def deliver(self, first: int, results: list[Any]) -> None:
        """As `Many.deliver`."""
        for single, result in zip(self.singles[first:], results):
            if isinstance(result, Failure):
                single.future.set_exception(result.exception())
            else:
                single.future.set_result(result)

    def end(self, error: BaseException | None) -> None:
        """As `Many.end`."""
        for single in self.singles:
            if error is not None and not single.future.done():
                single.future.set_exception(error)


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _named(function: Any) -> str:
    return getattr(function, "__qualname__", None) or type(function).__name__


def _dumps(value: Any) -> bytes:
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def pack(batch: Many | Singles, first: int, count: int) -> bytes:
    """A chunk as bytes. A task that cannot be pickled is refused, the others are sent."""
    function, arguments = batch.tasks(first, count)
    with suppress(Exception):
        return _dumps((function, arguments))
    try:
        _dumps(function)
    except Exception as error:
        sentence = f"the function {_named(function)} cannot be pickled, so no worker can get it: {_one_line(error)}"
        return _dumps((None, [Refused(sentence)] * count))
    sent: list[Any] = []
    for number, each in enumerate(arguments, first):
        try:
            _dumps(each)
            sent.append(each)
        except Exception as error:
            named = _named(each[0]) if function is call else _named(function)
            sent.append(Refused(f"task {number} of {named} cannot be pickled, so no worker can get it: {_one_line(error)}"))
    return _dumps((function, sent))


def failure(error: BaseException) -> Failure:
    """The exception that a task raised, as far as it can be sent."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    try:
        pickle.loads(_dumps(error))
    except Exception:
        error = RuntimeError(f"a task raised an exception that cannot be pickled: {_one_line(error)}")
    return Failure(error, text)


# A worker asks between two tasks whether the rest is still wanted, at most so often, seconds.
_ASK_S = 0.1


def run(function: Callable[..., Any] | None, arguments: Sequence[Any], is_given_up: Callable[[], bool]) -> list[Any]:
    """Computes tasks one after the other. An exception is the result of its task."""
    results: list[Any] = []
    asked_s = time.monotonic()
    for each in arguments:
        if time.monotonic() - asked_s > _ASK_S:
            if is_given_up():
                results += [Failure(CancelledError(), "")] * (len(arguments) - len(results))
                return results
            asked_s = time.monotonic()
        if isinstance(each, Refused):
            results.append(Failure(pickle.PicklingError(each.sentence), ""))
            continue
        try:
            results.append(function(*each))  # type: ignore[misc]
        except BaseException as error:  # noqa: B036  # also SystemExit: the worker goes on
            results.append(failure(error))
    return results


def compute(chunk: memoryview, count: int, is_given_up: Callable[[], bool]) -> bytes:
    """Computes the first `count` tasks of a chunk; the others were given back. Returns the results as bytes."""
    try:
        function, arguments = pickle.loads(chunk)
        results = run(function, arguments[:count], is_given_up)
    except Exception as error:
        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        sentence = f"a worker cannot unpickle the task: {_one_line(error)}"
        results = [Failure(RuntimeError(sentence), text)] * count
    try:
        return _dumps(results)
    except Exception:
        return _dumps([_sendable(result) for result in results])


def _sendable(result: Any) -> Any:
    try:
        _dumps(result)
        return result
    except Exception as error:
        return Failure(pickle.PicklingError(f"the result of a task cannot be pickled: {_one_line(error)}"), "")


def unpack(results: memoryview, count: int) -> list[Any]:
    """The results of a chunk."""
    try:
        return list(pickle.loads(results))
    except Exception as error:
        sentence = f"the master cannot unpickle the results of {count} tasks: {_one_line(error)}"
        return [Failure(RuntimeError(sentence), "")] * count
