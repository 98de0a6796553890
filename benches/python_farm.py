"""The master's cost of a task: midrun.futures.MPIFarm beside mpi4py.futures, in the same run.

    mpirun -n 3 python benches/python_farm.py [TASKS] [REPETITIONS]

Tasks do nothing, so the time per task is what the farm costs. Prints the median and the range over the repetitions,
which alternate. mpi4py.futures gets the chunk sizes 1 and 128; MPIFarm chooses. Needs libmidrun and mpi4py 4.
"""

import statistics
import sys
import time

from midrun.futures import MPIFarm
from mpi4py.futures import MPICommExecutor


def nothing(number):
    return number


def timed(body, tasks):
    begin_s = time.perf_counter()
    assert sum(1 for _ in body(range(tasks))) == tasks
    return (time.perf_counter() - begin_s) / tasks * 1e6


def main():
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    found = {}
    for _ in range(repetitions):
        with MPICommExecutor() as pool:
            if pool is not None:
                list(pool.map(nothing, range(100)))
                for chunk in (1, 128):
                    count = min(tasks, 2000) if chunk == 1 else tasks
                    took_us = timed(lambda each: pool.map(nothing, each, chunksize=chunk), count)
                    found.setdefault(f"mpi4py.futures, chunk size {chunk}", []).append(took_us)
        with MPIFarm() as farm:
            if farm is not None:
                list(farm.map(nothing, range(100)))
                found.setdefault("MPIFarm.map", []).append(timed(lambda each: farm.map(nothing, each), tasks))
                unordered = timed(lambda each: farm.map(nothing, each, ordered=False), tasks)
                found.setdefault("MPIFarm.map, ordered=False", []).append(unordered)
                count = min(tasks, 2000)
                submitted = timed(lambda each: [f.result() for f in [farm.submit(nothing, n) for n in each]], count)
                found.setdefault("MPIFarm.submit", []).append(submitted)
    for name, all_us in found.items():
        print(f"{name:32} {statistics.median(all_us):8.2f} us a task ({min(all_us):.2f} to {max(all_us):.2f})")


if __name__ == "__main__":
    main()
