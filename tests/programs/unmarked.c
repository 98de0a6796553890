/* unmarked.c - a program without marks: it exposes a variable and loops over MPI calls until somebody has set the variable. */
#include <midrun.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv) {
  int rank, buffers = 1, seen = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) midrun_expose_int("BUFFERS", &buffers, 1, 9);
  for (int i = 0; i < 6000 && seen == 1; i++) { /* a minute at most */
    struct timespec nap = {0, 10000000};
    nanosleep(&nap, NULL);
    if (rank == 0) seen = buffers;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(&seen, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("BUFFERS %d\n", seen);
  MPI_Finalize();
  return 0;
}
