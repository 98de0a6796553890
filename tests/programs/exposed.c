/* exposed - every rank offers a whole number `block` and a share `share`, and says when one of them is another.
 *
 *     mpirun -n 3 exposed ITERATIONS MILLISECONDS     with 0 iterations it comes to no safe point, and ends when ./end exists
 */
#define _GNU_SOURCE
#include <midrun.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int block = 32;
static double share = 0.5;

int main(int argc, char **argv) {
  int rank, size, before = block;
  double share_before = share;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long iterations = argc > 1 ? atol(argv[1]) : 10, ms = argc > 2 ? atol(argv[2]) : 20;
  midrun_expose_int("block", &block, 8, 64);
  midrun_expose_double("share", &share, 0, 1);
  const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
  if (rank == 0) printf("ready\n"), fflush(stdout);
  while (iterations == 0 && access("end", F_OK) != 0) nanosleep(&pause, NULL);
  for (long i = 0; i < iterations; i++) {
    if (rank == 0) midrun_iteration_begin((uint64_t)size, (uint32_t)size);
    else midrun_safe_point();
    if (block != before || share != share_before) printf("rank %d: block %d share %g at iteration %ld\n", rank, block, share, i), fflush(stdout);
    before = block, share_before = share;
    midrun_work_begin((uint64_t)rank, 1);
    nanosleep(&pause, NULL);
    midrun_work_end();
    MPI_Barrier(MPI_COMM_WORLD);
    if (block != before || share != share_before) printf("rank %d: changed inside a call\n", rank), fflush(stdout);
    if (rank == 0) midrun_iteration_end();
  }
  MPI_Finalize();
  return 0;
}
