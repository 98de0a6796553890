/* A pipeline by hand: each rank gets an item from the one before, works on it, and passes it on; rank 1 takes longest. The last rank sends
 * rank 0 the sum in the end. */
#define _GNU_SOURCE
#include <mpi.h>
#include <time.h>

__attribute__((noinline)) void work_on(int rank, double *item) {
  clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, rank == 1 ? 12000000 : 3000000}, NULL);
  *item += rank;
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double sum = 0;
  for (int i = 0; i < 200; i++) {
    double item = i;
    if (rank > 0) MPI_Recv(&item, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work_on(rank, &item);
    if (rank < size - 1) MPI_Ssend(&item, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    sum += item;
  }
  if (rank == size - 1) MPI_Send(&sum, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(&sum, 1, MPI_DOUBLE, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
}
