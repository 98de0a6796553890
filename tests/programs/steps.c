/* steps - each iteration is 20 steps of `pause` milliseconds, and rank 0 says where that becomes another number.
 *
 *     mpirun -n 2 steps ITERATIONS start|inside     it takes another value over where an iteration begins, or between steps, too
 */
#define _GNU_SOURCE
#include <midrun.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int step_ms = 3;

int main(int argc, char **argv) {
  int rank, before = step_ms;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  long iterations = argc > 1 ? atol(argv[1]) : 10;
  int inside = argc > 2 && strcmp(argv[2], "inside") == 0;
  if (rank == 0) midrun_expose_int("pause", &step_ms, 1, 200);
  for (long i = 0; i < iterations; i++) {
    if (rank == 0) midrun_iteration_begin(1, 1);
    for (int step = 0; step < 20; step++) {
      if (rank == 0 && inside && step > 0) midrun_safe_point();
      if (step_ms != before) printf("iteration %ld step %d: %d\n", i, step, step_ms), fflush(stdout);
      before = step_ms;
      const struct timespec pause = {0, (rank == 0 ? step_ms : 1) * 1000000L};
      nanosleep(&pause, NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) midrun_iteration_end();
  }
  MPI_Finalize();
  return 0;
}
