"""Finds libmidrun for the MPI of this process, and declares its functions (midrun.h)."""

from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
from collections.abc import Iterator
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p

OK, OFF, ENDED = 0, 1, 2
ANY_SIZE = 8

Prepare = CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64, c_uint64, c_void_p)
Compute = CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64, c_uint64, c_void_p, c_size_t, c_void_p)
Collect = CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64, c_uint64, c_void_p, c_size_t)


class MidrunError(RuntimeError):
    """A function of libmidrun failed; the text says why."""


class LibraryNotFound(MidrunError):
    """There is no libmidrun for the MPI of this process."""


class Config(Structure):
    """midrun_mw_config_t."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("comm", c_void_p),
        ("master", c_int),
        ("flags", c_uint32),
        ("task_bytes", c_size_t),
        ("result_bytes", c_size_t),
        ("prepare", c_void_p),
        ("compute", c_void_p),
        ("collect", c_void_p),
        ("user", c_void_p),
        ("technique", c_char_p),
        ("factor", c_double),
        ("workers", c_uint32),
        ("prepare_any", Prepare),
        ("compute_any", Compute),
        ("collect_any", Collect),
    ]


class Stats(Structure):
    """midrun_mw_stats_t."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("iteration", c_uint64),
        ("tasks", c_uint64),
        ("chunks", c_uint64),
        ("workers", c_uint32),
        ("technique", c_uint32),
        ("iteration_s", c_double),
        ("task_s", c_double),
        ("master_busy_s", c_double),
        ("lost_workers", c_uint32),
        ("redone_tasks", c_uint64),
    ]


_SIGNATURES: dict[str, tuple[object, list[object]]] = {
    "midrun_status_text": (c_char_p, [c_int]),
    "midrun_technique_name": (c_char_p, [c_uint32]),
    "midrun_mw_create": (c_int, [POINTER(c_void_p), POINTER(Config)]),
    "midrun_mw_iterate": (c_int, [c_void_p, c_uint64]),
    "midrun_mw_finish": (c_int, [c_void_p]),
    "midrun_mw_last": (c_int, [c_void_p, POINTER(Stats)]),
    "midrun_mw_destroy": (c_int, [POINTER(c_void_p)]),
    "midrun_mw_emit": (c_void_p, [c_void_p, c_size_t]),
    "midrun_iteration_begin": (c_int, [c_uint64, c_uint32]),
    "midrun_iteration_end": (c_int, []),
    "midrun_work_begin": (c_int, [c_uint64, c_uint64]),
    "midrun_work_end": (c_int, []),
    "midrun_next_chunk": (c_uint64, [c_uint32]),
    "midrun_chunk_done": (c_int, [c_uint32, c_uint64, c_double]),
    "midrun_expose_double": (c_int, [c_char_p, POINTER(c_double), c_double, c_double]),
    "midrun_expose_int": (c_int, [c_char_p, POINTER(c_int), c_int, c_int]),
    "midrun_safe_point": (c_int, []),
}

# Open MPI and its relatives; all others that libmidrun knows are of MPICH's family.
_FAMILIES = {
    "Open MPI": "openmpi",
    "IBM Spectrum MPI": "openmpi",
    "MPICH": "mpich",
    "Intel(R) MPI": "mpich",
    "MVAPICH": "mpich",
    "CRAY MPICH": "mpich",
    "ParaStation": "mpich",
}


def family() -> str:
    """The family of this process's MPI: openmpi, mpich, or abi for MPI's standard ABI."""
    from mpi4py import MPI

    if getattr(MPI, "Get_abi_version", lambda: (-1, -1))()[0] == 1:
        return "abi"
    version = MPI.Get_library_version()
    for name, found in _FAMILIES.items():
        if name in version:
            return found
    raise LibraryNotFound(f"there is no libmidrun for this MPI: {version.splitlines()[0]}")


def _directories() -> Iterator[pathlib.Path]:
    if os.environ.get("MIDRUN_LIB_DIR"):
        yield pathlib.Path(os.environ["MIDRUN_LIB_DIR"])
    yield pathlib.Path(__file__).with_name("lib")
    command = shutil.which("midrun")
    if command:
        yield pathlib.Path(command).resolve().parent.parent / "lib" / "midrun"
    yield pathlib.Path("/usr/local/lib/midrun")
    yield pathlib.Path("/usr/lib/midrun")


def _promote_mpi() -> None:
    """Python loads MPI out of the global scope, where libmidrun looks for it."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        paths = {line.rstrip("\n").split(maxsplit=5)[5] for line in maps if "/libmp" in line}
    for path in paths:
        if os.path.basename(path).startswith(("libmpi", "libmpich")):
            ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    for name, (result, arguments) in _SIGNATURES.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise LibraryNotFound(f"the libmidrun of this process is older than the package midrun: it has no {name}") from None
        function.restype, function.argtypes = result, arguments
    return library


_loaded: ctypes.CDLL | None = None


def library() -> ctypes.CDLL:
    """libmidrun: the one that `midrun run` has preloaded, else the one that is installed for this process's MPI."""
    global _loaded
    if _loaded is None:
        _loaded = _load()
    return _loaded


def _load() -> ctypes.CDLL:
    process = ctypes.CDLL(None)
    if hasattr(process, "midrun_mw_create"):
        from mpi4py import MPI  # noqa: F401  # the preloaded library asks at its first call which MPI is here

        return _declare(process)
    name, looked = family(), []
    for directory in _directories():
        path = directory / name / "libmidrun.so"
        if path.is_file():
            _promote_mpi()
            return _declare(ctypes.CDLL(str(path)))
        looked.append(str(path))
    raise LibraryNotFound(
        f"libmidrun is not installed for {name}: install midrun, or name the directory that has {name}/libmidrun.so by"
        f" MIDRUN_LIB_DIR (looked for {', '.join(looked)})"
    )


def optional() -> ctypes.CDLL | None:
    """As `library`, None where there is none: markers then do nothing."""
    try:
        return library()
    except (LibraryNotFound, ImportError):
        return None


def check(status: int, what: str) -> int:
    """Raises for a negative status."""
    if status < 0:
        raise MidrunError(f"{what}: {library().midrun_status_text(status).decode()}")
    return status
