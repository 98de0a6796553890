"""Counts primes by a task farm: mpirun -n 5 python primes.py [MAPS], better under midrun run.

Tasks are intervals of the numbers; those of large numbers take longer.
"""

import sys
import time

from midrun.futures import MPIFarm


def primes(begin, end):
    """Number of primes from `begin` to `end - 1`."""
    count = 0
    for number in range(max(begin, 2), end):
        divisor = 2
        while divisor * divisor <= number and number % divisor:
            divisor += 1
        count += divisor * divisor > number
    return count


def main():
    maps, width, tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 3, 50, 800
    bounds = [(width * task, width * (task + 1)) for task in range(tasks)]
    with MPIFarm() as farm:
        if farm is None:
            return
        for step in range(maps):
            begin_s = time.perf_counter()
            total = sum(farm.starmap(primes, bounds, ordered=False))
            took_s = time.perf_counter() - begin_s
            print(f"map {step}: {total} primes below {width * tasks} in {took_s:.3f} s, {farm.last_iteration}")


if __name__ == "__main__":
    main()
