"""What a user of midrun.futures may do, and do wrong. Every rank runs this; the master prints one line per story that holds."""

import os
import sys
import threading
import time
from concurrent.futures import TimeoutError as FuturesTimeout
from concurrent.futures import as_completed

from midrun.futures import MPIFarm, RemoteTraceback
from mpi4py import MPI


def square(number):
    return number * number


def add(left, right=0):
    return left + right


def sized(size):
    return bytes(size)


def length(data):
    return len(data)


def refuse(number):
    if number % 7 == 3:
        raise ValueError(f"task {number} is refused")
    return number


class Odd(Exception):
    """Cannot be unpickled: its constructor takes two arguments."""

    def __init__(self, one, two):
        super().__init__("odd")


def raise_odd(_):
    raise Odd(1, 2)


def leave(_):
    sys.exit(3)


def locked(_):
    return threading.Lock()


def slow(number):
    time.sleep(0.02 if number == 0 else 0.002)
    return number


def device(_):
    time.sleep(0.01)
    return MPI.COMM_WORLD.rank, os.environ["CUDA_VISIBLE_DEVICES"]


def raised(body):
    try:
        body()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def everything(farm):
    alone = MPI.COMM_WORLD.size == 1
    assert list(farm.map(square, range(1000))) == [number * number for number in range(1000)]
    last = farm.last_iteration
    assert last.tasks == 1000 and last.workers >= 1, last
    assert list(farm.map(add, range(5), range(5))) == [0, 2, 4, 6, 8]
    assert list(farm.starmap(add, [(1, 2), (3, 4)])) == [3, 7]
    assert list(farm.map(square, [])) == []
    unordered = list(farm.map(square, range(500), ordered=False))
    assert sorted(unordered) == [number * number for number in range(500)]
    print("ordered and unordered")

    futures = [farm.submit(add, number, right=1) for number in range(200)]
    assert sorted(future.result() for future in as_completed(futures)) == list(range(1, 201))
    print("submitted")

    sizes = [0, 1, 70_000, 3_000_000, 40_000_000, 5]
    assert [len(data) for data in farm.map(sized, sizes)] == sizes
    assert list(farm.map(length, [bytes(size) for size in sizes])) == sizes
    print("objects of any size")

    error = raised(lambda: list(farm.map(refuse, range(100))))
    assert isinstance(error, ValueError) and str(error) == "task 3 is refused", error
    if alone:
        assert error.__traceback__ is not None
    assert isinstance(error.__cause__, RemoteTraceback) and "in refuse" in str(error.__cause__), error.__cause__
    futures = [farm.submit(refuse, number) for number in range(100)]
    failed = [number for number, future in enumerate(futures) if future.exception() is not None]
    assert failed == list(range(3, 100, 7)), failed
    assert isinstance(raised(lambda: list(farm.map(leave, [1]))), SystemExit)
    if not alone:
        assert "cannot be pickled" in str(raised(lambda: list(farm.map(raise_odd, [1]))))
        error = raised(lambda: list(farm.map(locked, [1])))
        assert "the result of a task cannot be pickled" in str(error) and "\n" not in str(error), error
        error = raised(lambda: list(farm.map(lambda x: x, [1])))
        assert "the function everything.<locals>" in str(error) and "\n" not in str(error), error
        futures = [farm.submit(length, [each]) for each in (1, threading.Lock(), 3)]
        error = raised(futures[1].result)
        assert "of length cannot be pickled" in str(error) and "\n" not in str(error), error
        assert futures[0].result() == futures[2].result() == 1
    assert list(farm.map(square, range(10))) == [number * number for number in range(10)]
    print("the farm goes on after exceptions")

    assert isinstance(raised(lambda: list(farm.map(slow, range(2000), timeout=0.05))), (TimeoutError, FuturesTimeout))
    first = next(farm.map(slow, range(2000)))  # nobody wants the rest
    assert first == 0
    assert list(farm.map(square, range(10))) == [number * number for number in range(10)]
    print("given up")


def main():
    world = MPI.COMM_WORLD
    with MPIFarm() as farm:
        if farm is not None:
            everything(farm)
            second = raised(lambda: MPIFarm().__enter__())
            assert isinstance(second, RuntimeError) and "is open" in str(second), second
    # Another farm of the same ranks, with another master, and one whose block is left by an exception.
    with MPIFarm(master=world.size - 1, technique="ss", gpus=2) as farm:
        if farm is not None:
            seen = dict(farm.map(device, range(40)))
            assert all(each in ("0", "1") for each in seen.values()), seen
            assert len(seen) < 3 or len(set(seen.values())) == 2, seen
            assert farm.last_iteration.technique in ("ss", "none"), farm.last_iteration
    try:
        with MPIFarm() as farm:
            if farm is not None:
                farm.map(slow, range(100_000))
                raise KeyError("on purpose")
    except KeyError:
        assert world.rank == 0
    if farm is not None:
        assert isinstance(raised(lambda: farm.submit(square, 1)), RuntimeError)
        print("three farms")
    world.Barrier()


if __name__ == "__main__":
    main()
