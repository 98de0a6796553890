/* phases.c - a program without marks that has two phases: one of broadcasts, and one of reductions, whose steps take the shorter the nearer
 * `blocks` is to 12. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int blocks = 4;

static void sleep_us(long us) {
  struct timespec nap = {0, us * 1000};
  nanosleep(&nap, NULL);
}

int main(int argc, char **argv) {
  int rank, data = 1, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 600; i++) {
    sleep_us(6000);
    MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  for (int i = 0; i < 800; i++) {
    sleep_us(4000 + 2000 * labs(blocks - 12));
    MPI_Allreduce(&data, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("solved with %d blocks\n", blocks);
  MPI_Finalize();
  return 0;
}
