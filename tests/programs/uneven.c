/* uneven.c [marks] - rank 0 has twice as much to do as each other rank, then all meet; five times. With "marks" each
 * time is an iteration. The work is sleep: it is outside MPI, and needs no processor of its own. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#ifdef WITH_MARKS
#include <midrun.h>
#endif

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 5; i++) {
    struct timespec nap = {0, rank == 0 ? 200000000 : 100000000};
#ifdef WITH_MARKS
    if (rank == 0) midrun_iteration_begin(1, 1);
#endif
    nanosleep(&nap, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
#ifdef WITH_MARKS
    if (rank == 0) midrun_iteration_end();
#endif
  }
  MPI_Finalize();
  return 0;
}
