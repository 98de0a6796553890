"""Farms that cannot be: every rank prints why, and none waits for another."""

import sys

import mpi4py

mpi4py.rc.thread_level = "funneled"

from midrun.futures import MidrunError, MPIFarm  # noqa: E402
from mpi4py import MPI  # noqa: E402


def refused(**options):
    try:
        with MPIFarm(**options):
            pass
    except (MidrunError, ValueError) as error:
        sys.stdout.write(f"rank {MPI.COMM_WORLD.rank}: {error}\n")
        sys.stdout.flush()


refused(master=3)
refused()
MPI.Query_thread = lambda: MPI.THREAD_MULTIPLE
refused(technique="fastest")
