/* uneven.c [marks] - rank 0 has twice as much to do as each other rank, then all meet; five times. With "marks" each
 * time is an iteration. The work is sleep: it is outside MPI, and needs no processor of its own. Each rank prints how long it
 * slept and how long an iteration took, by its own clock. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#ifdef WITH_MARKS
#include <midrun.h>
#endif

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  int rank;
  double slept[5], whole[5];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 5; i++) {
    struct timespec nap = {0, rank == 0 ? 200000000 : 100000000};
#ifdef WITH_MARKS
    if (rank == 0) midrun_iteration_begin(1, 1);
#endif
    double begun = now();
    nanosleep(&nap, NULL);
    slept[i] = now() - begun;
    MPI_Barrier(MPI_COMM_WORLD);
    whole[i] = now() - begun;
#ifdef WITH_MARKS
    if (rank == 0) midrun_iteration_end();
#endif
  }
  MPI_Finalize();
  for (int i = 0; i < 5; i++) printf("rank %d iteration %d: %.6f of %.6f s\n", rank, i, slept[i], whole[i]);
  return 0;
}
