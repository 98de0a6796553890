/* halo.c - a row of ranks that knows nothing of midrun: each computes, then exchanges with its neighbours, by MPI_Send and MPI_Recv or by nonblocking
 * calls. The outer ranks have MPI_PROC_NULL for a neighbour.
 *
 * halo ITERATIONS blocking|nonblocking
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 1000 };
static char out[2][BYTES], in[2][BYTES];

int main(int argc, char **argv) {
  int rank, size;
  if (argc != 3) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int neighbours[2] = {rank > 0 ? rank - 1 : MPI_PROC_NULL, rank + 1 < size ? rank + 1 : MPI_PROC_NULL};
  int iterations = atoi(argv[1]), blocking = !strcmp(argv[2], "blocking");
  for (int i = 0; i < iterations; i++) {
    MPI_Request requests[4];
    MPI_Status statuses[4];
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    for (int k = 0; k < 2; k++) {
      if (blocking) MPI_Send(out[k], BYTES, MPI_BYTE, neighbours[k], 0, MPI_COMM_WORLD);
      else MPI_Isend(out[k], BYTES, MPI_BYTE, neighbours[k], 0, MPI_COMM_WORLD, &requests[k]);
    }
    for (int k = 0; k < 2; k++) {
      if (blocking) MPI_Recv(in[k], BYTES, MPI_BYTE, neighbours[k], 0, MPI_COMM_WORLD, &statuses[k]);
      else MPI_Irecv(in[k], BYTES, MPI_BYTE, neighbours[k], 0, MPI_COMM_WORLD, &requests[2 + k]);
    }
    if (!blocking) MPI_Waitall(4, requests, statuses);
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
