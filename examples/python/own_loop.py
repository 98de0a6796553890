"""A program with a loop of its own: mpirun -n 3 python own_loop.py, better under midrun run --search 'block=1..64'.

Every rank marks its iterations and exposes a block size that midrun may change; small blocks waste time.
"""

import sys
import time

import midrun
from mpi4py import MPI


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    world = MPI.COMM_WORLD
    block = midrun.expose("block", 4, 1, 64)
    # Rank 0 says how many workers the iterations have, so that they are timed.
    workers = world.size if world.rank == 0 else 0
    for step in range(steps):
        with midrun.iteration(workers=workers):
            now = block.value
            # 64 units of work in blocks: each block costs a start-up, large ones miss the cache.
            time.sleep((64 / now) * 0.0005 + now * 0.0002)
            world.barrier()
        if world.rank == 0:
            print(f"step {step}: block {now}", flush=True)


if __name__ == "__main__":
    main()
