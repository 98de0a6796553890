"""A task farm over the ranks of an MPI program, with the interface of concurrent.futures.

    from midrun.futures import MPIFarm

    with MPIFarm() as farm:            # every rank
        if farm is not None:           # the master; the other ranks compute until it leaves the block
            for result in farm.map(function, inputs):
                ...

midrun hands tasks out in chunks, by the scheduling technique in force. Under `midrun run` it chooses technique and
number of workers from what it measures; otherwise they stay as given here. Nothing is spawned.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from ctypes import byref, c_void_p, pythonapi
from typing import Any, NamedTuple, TypeVar

from mpi4py import MPI

from . import _batch, _library, _results
from ._batch import Failure, Many, RemoteTraceback, Single, Singles
from ._library import LibraryNotFound, MidrunError

__all__ = ["Iteration", "LibraryNotFound", "MPIFarm", "MidrunError", "RemoteTraceback"]

Result = TypeVar("Result")

# To the workers, after the last iteration.
_NOTHING_FOLLOWS = -1
# Of CUDA, HIP and oneAPI; each names devices by number.
_DEVICE_VARIABLES = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ZE_AFFINITY_MASK")

_view = pythonapi.PyMemoryView_FromMemory
_view.restype, _view.argtypes = ctypes.py_object, [c_void_p, ctypes.c_ssize_t, ctypes.c_int]
_READ = 0x100


def _memory(address: int | None, size: int) -> memoryview:
    return _view(address, size, _READ) if address and size else memoryview(b"")


def _emit(library: ctypes.CDLL, out: int, data: bytes) -> int:
    room = library.midrun_mw_emit(out, len(data))
    if not room:
        return 1
    ctypes.memmove(room, data, len(data))
    return 0


class Iteration(NamedTuple):
    """What one iteration of a farm was: a map, or the submitted tasks that had come when it began."""

    tasks: int
    chunks: int
    workers: int
    technique: str
    iteration_s: float
    task_s: float


# libmidrun takes safe points of one thread only, so all farms of a process share it, one after the other.
_manager: ThreadPoolExecutor | None = None
_newest: MPIFarm | None = None


def _the_manager() -> ThreadPoolExecutor:
    global _manager
    if _manager is None:
        _manager = ThreadPoolExecutor(1, thread_name_prefix="midrun-farm")
    return _manager


class MPIFarm(Executor):
    """An executor whose workers are the ranks of a communicator.

    Every rank enters it by `with`. On the master this gives the farm; the other ranks compute tasks and get None once
    the master has left the block. A single rank computes its tasks itself.

    comm: the communicator (default: COMM_WORLD). master: the rank that submits.
    technique: name of the scheduling technique at start; factor: its share per batch; workers: number of active
    workers at start (0: all). All three are those of `midrun_mw_config_t`; by default midrun chooses.
    gpus: number of GPUs per host. Each worker sees one: the environment variables CUDA_VISIBLE_DEVICES,
    HIP_VISIBLE_DEVICES and ZE_AFFINITY_MASK name it before its first task.

    Raises MidrunError when MPI was initialised without support for threads, LibraryNotFound without libmidrun.
    """

    def __init__(
        self,
        comm: MPI.Intracomm | None = None,
        master: int = 0,
        *,
        technique: str | None = None,
        factor: float = 0.0,
        workers: int = 0,
        gpus: int | None = None,
    ) -> None:
        self._comm = MPI.COMM_WORLD if comm is None else comm
        if not 0 <= master < self._comm.size:
            raise ValueError(f"master is {master}, but the communicator has the ranks 0 to {self._comm.size - 1}")
        if gpus is not None and gpus < 1:
            raise ValueError(f"gpus is {gpus}, but a host with GPUs has at least 1")
        self._master, self._gpus = master, gpus
        self._options = (technique, factor, workers)
        self._condition = threading.Condition()
        self._waiting: list[Single | Many] = []
        self._running: Many | Singles | None = None
        self._closed = True
        self._last: Iteration | None = None
        self._loop: Future[None] | None = None
        # Beside midrun's messages: the number of an iteration whose remaining tasks nobody wants.
        self._side = self._comm
        self._sends: list[MPI.Request] = []

    @property
    def num_workers(self) -> int:
        """Number of workers, parked ones included."""
        return max(self._comm.size - 1, 1)

    @property
    def last_iteration(self) -> Iteration | None:
        """Figures of the last iteration, on the master."""
        return self._last

    # ---- every rank ----

    def __enter__(self) -> MPIFarm | None:  # type: ignore[override]
        # On every rank, or the others would wait for the one that refuses.
        if self._comm.size > 1 and MPI.Query_thread() < MPI.THREAD_SERIALIZED:
            raise MidrunError("MPIFarm needs MPI with threads: leave mpi4py.rc.thread_level at 'multiple'")
        if self._gpus is not None:
            self._choose_gpu(self._gpus)
        if self._comm.rank != self._master:
            self._serve()
            return None
        global _newest
        if _newest is not None and not _newest._closed:
            raise RuntimeError("a farm of this process is open: leave its with block before the next one")
        _newest, self._closed = self, False
        work = self._run_alone if self._comm.size == 1 else self._run
        ready: Future[None] = Future()
        self._loop = _the_manager().submit(work, ready)
        ready.result()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self._loop is not None:
            self.shutdown(wait=True, cancel_futures=kind is not None)

    def _choose_gpu(self, gpus: int) -> None:
        """The workers of a host, without the master, take its GPUs in turn."""
        host = self._comm.Split_type(MPI.COMM_TYPE_SHARED)
        is_worker = self._comm.rank != self._master or self._comm.size == 1
        flags = host.allgather(is_worker)
        before = sum(flags[: host.rank])
        host.Free()
        if not is_worker:
            return
        for variable in _DEVICE_VARIABLES:
            visible = [each for each in os.environ.get(variable, "").split(",") if each]
            devices = visible[:gpus] or [str(number) for number in range(gpus)]
            os.environ[variable] = devices[before % len(devices)]

    def _create(self, library: ctypes.CDLL, **callbacks: Any) -> c_void_p:
        technique, factor, workers = self._options
        config = _library.Config(
            struct_size=ctypes.sizeof(_library.Config),
            comm=MPI._addressof(self._comm),
            master=self._master,
            flags=_library.ANY_SIZE,
            technique=technique.encode() if technique else None,
            factor=factor,
            workers=workers,
            **callbacks,
        )
        farm = c_void_p()
        _library.check(library.midrun_mw_create(byref(farm), byref(config)), "MPIFarm")
        return farm

    # ---- a worker ----

    def _serve(self) -> None:
        library = _library.library()
        given_up = -1

        @_library.Compute  # type: ignore[untyped-decorator]
        def compute(_user: Any, it: int, _first: int, count: int, tasks: int, size: int, out: int) -> int:
            def is_given_up() -> bool:
                nonlocal given_up
                while self._side.iprobe(self._master):
                    given_up = max(given_up, self._side.recv(source=self._master))
                return given_up >= it

            return _emit(library, out, _batch.compute(_memory(tasks, size), count, is_given_up))

        farm = self._create(library, compute_any=compute)
        self._side = self._comm.Dup()
        status = _library.OK
        while status != _library.ENDED:
            # A failed iteration ends for all ranks; the master tells its callers.
            status = library.midrun_mw_iterate(farm, 0)
            if status == -2:
                break
        library.midrun_mw_destroy(byref(farm))
        while self._side.recv(source=self._master) != _NOTHING_FOLLOWS:
            pass
        self._side.Free()

    # ---- the master's manager thread ----

    def _next_batch(self) -> Many | Singles | None:
        """Waits for tasks; None when the farm is closed and nothing waits."""
        with self._condition:
            while True:
                while not self._waiting:
                    if self._closed:
                        return None
                    self._condition.wait()
                if isinstance(self._waiting[0], Many):
                    return self._waiting.pop(0)  # type: ignore[return-value]
                taken = list(itertools.takewhile(lambda each: isinstance(each, Single), self._waiting))
                del self._waiting[: len(taken)]
                wanted = [each for each in taken if each.future.set_running_or_notify_cancel()]  # type: ignore[union-attr]
                if wanted:
                    return Singles(wanted)  # type: ignore[arg-type]

    def _run(self, ready: Future[None]) -> None:
        batch: Many | Singles | None = None
        raised: list[BaseException] = []

        def safely(body: Callable[[], int]) -> int:
            try:
                return body()
            except BaseException as error:  # noqa: B036  # it cannot pass through C
                raised.append(error)
                return 1

        @_library.Prepare  # type: ignore[untyped-decorator]
        def prepare(_user: Any, _it: int, first: int, count: int, out: int) -> int:
            return safely(lambda: _emit(library, out, _batch.pack(batch, first, count)))  # type: ignore[arg-type]

        @_library.Collect  # type: ignore[untyped-decorator]
        def collect(_user: Any, _it: int, first: int, count: int, data: int, size: int) -> int:
            def deliver() -> int:
                batch.deliver(first, _batch.unpack(_memory(data, size), count))  # type: ignore[union-attr]
                return 0

            return safely(deliver)

        try:
            library = _library.library()
            farm = self._create(library, prepare_any=prepare, collect_any=collect)
            self._side = self._comm.Dup()
        except BaseException as error:  # noqa: B036
            self._closed = True
            ready.set_exception(error)
            return
        ready.set_result(None)
        for iteration in itertools.count():
            if (batch := self._next_batch()) is None:
                break
            with self._condition:
                batch.iteration, self._running = iteration, batch
            status = library.midrun_mw_iterate(farm, len(batch))
            with self._condition:
                self._running = None
            self._remember(library, farm)
            if status < 0 and not raised:
                raised.append(MidrunError(library.midrun_status_text(status).decode()))
            batch.end(raised[0] if raised else None)
            raised.clear()
        library.midrun_mw_finish(farm)
        library.midrun_mw_destroy(byref(farm))
        self._tell_workers(_NOTHING_FOLLOWS)
        MPI.Request.Waitall(self._sends)
        self._side.Free()

    def _tell_workers(self, number: int) -> None:
        workers = (rank for rank in range(self._comm.size) if rank != self._master)
        self._sends += [self._side.isend(number, dest=rank) for rank in workers]

    def _remember(self, library: ctypes.CDLL, farm: c_void_p) -> None:
        stats = _library.Stats(struct_size=ctypes.sizeof(_library.Stats))
        if library.midrun_mw_last(farm, byref(stats)) == _library.OK:
            technique = library.midrun_technique_name(stats.technique).decode()
            figures = (stats.tasks, stats.chunks, stats.workers, technique, stats.iteration_s, stats.task_s)
            self._last = Iteration(*figures)

    def _run_alone(self, ready: Future[None]) -> None:
        """A single rank: this thread computes the tasks, one after the other."""
        ready.set_result(None)
        while (batch := self._next_batch()) is not None:
            begin_s = time.perf_counter()
            for first in range(len(batch)):
                function, arguments = batch.tasks(first, 1)
                batch.deliver(first, _batch.run(function, arguments, lambda: False))
            took_s = time.perf_counter() - begin_s
            self._last = Iteration(len(batch), len(batch), 1, "none", took_s, took_s)
            batch.end(None)

    # ---- the master's program ----

    def _add(self, batch: Single | Many) -> None:
        with self._condition:
            if self._closed:
                raise RuntimeError("the farm is closed: use it inside of its with block")
            self._waiting.append(batch)
            self._condition.notify()

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """One task. Tasks that wait when the workers are free become an iteration."""
        future: Future[Result] = Future()
        self._add(Single(future, fn, args, kwargs))
        return future

    def map(
        self,
        fn: Callable[..., Result],
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int = 1,
        ordered: bool = True,
        progress: bool = False,
    ) -> Iterator[Result]:
        """Results of `fn(*each)` for each of `zip(*iterables)`, as one iteration.

        ordered: results in the order of the tasks, else as they come. timeout: seconds from now for each result.
        progress: shows a bar if tqdm is installed. chunksize is there for concurrent.futures: midrun chooses it.
        The exception of a task is raised where its result would be; tasks that have not begun are then given up. The farm
        goes on: submit gives each task an exception of its own.
        """
        return self.starmap(fn, zip(*iterables), timeout=timeout, ordered=ordered, progress=progress)

    def starmap(
        self,
        fn: Callable[..., Result],
        iterable: Iterable[Iterable[Any]],
        timeout: float | None = None,
        chunksize: int = 1,
        ordered: bool = True,
        progress: bool = False,
    ) -> Iterator[Result]:
        """As `map`, with each task's arguments from `iterable`."""
        batch = Many(fn, [tuple(each) for each in iterable])
        until = None if timeout is None else time.monotonic() + timeout
        if batch.arguments:
            self._add(batch)
        arrived = _results.pieces(batch, until)
        pieces = _results.in_order(arrived) if ordered else _results.as_completed(arrived)
        return self._results(batch, _results.shown(pieces, len(batch)) if progress else pieces)

    def _results(self, batch: Many, pieces: Iterator[list[Any]]) -> Iterator[Any]:
        try:
            for results in pieces:
                for result in results:
                    if isinstance(result, Failure):
                        raise result.exception()
                    yield result
        finally:
            self._give_up(batch)

    def _give_up(self, batch: Many) -> None:
        """Nobody wants the remaining results of a map."""
        with self._condition:
            runs = self._running is batch and self._comm.size > 1 and MPI.Query_thread() == MPI.THREAD_MULTIPLE
            if runs and not batch.cancelled and batch.iteration is not None:
                self._tell_workers(batch.iteration)
            batch.cancelled = True

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """No task follows; those that were given are computed, unless `cancel_futures`."""
        with self._condition:
            self._closed = True
            if cancel_futures:
                for each in self._waiting:
                    if isinstance(each, Single):
                        each.future.cancel()
                    else:
                        each.cancelled = True
            running = self._running if cancel_futures else None
            self._condition.notify()
        if isinstance(running, Many):
            self._give_up(running)
        if wait and self._loop is not None:
            self._loop.result()
