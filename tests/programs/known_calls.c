/* known_calls.c - makes MPI calls whose numbers and bytes its test knows; the sum it prints must not change under midrun.
 *
 * A ring over N ranks (at least 2); rounds = 100.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 100 };

static int rank, size, next, before;
static long sum;

static void point_to_point(void) {
  int out = rank, in = -1;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  for (int i = 0; i < ROUNDS; i++) {
    if (rank % 2 == 0) { /* 4 bytes each way; where ranks are odd in number, the last sends to the first */
      MPI_Send(&out, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
      MPI_Recv(&in, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      int room[4]; /* room for more than comes, from whomever */
      MPI_Recv(room, 4, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      in = room[0];
      MPI_Send(&out, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    }
    sum += in;
  }
  for (int i = 0; i < ROUNDS; i++) {
    double left[8] = {rank}, right[8];
    MPI_Irecv(right, 8, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(left, 8, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    sum += (long)right[0];
  }
  MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD); /* local, no bytes */
  MPI_Sendrecv(&out, 1, MPI_INT, next, 4, &in, 1, MPI_INT, before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void persistent(void) {
  int out = rank, in = -1;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Send_init(&out, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&in, 1, MPI_INT, before, 5, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < ROUNDS; i++) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
    sum += in;
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void collective(void) {
  int *all = calloc((size_t)size, sizeof(int)), *counts = calloc((size_t)size, sizeof(int));
  int *places = calloc((size_t)size, sizeof(int));
  MPI_Comm copy;
  MPI_Request request;
  for (int i = 0; i < size; i++) counts[i] = 1, places[i] = i;
  for (int i = 0; i < ROUNDS; i++) {
    int one = 1;
    MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    sum += one;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Barrier(copy);
  MPI_Bcast(all, size, MPI_INT, 0, copy);
  MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, copy);
  if (rank == 0) MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_INT, 0, copy);
  else MPI_Gatherv(&rank, 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 0, copy);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, all, counts, places, MPI_INT, copy);
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, copy);
  MPI_Ibarrier(copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Send(&rank, 1, MPI_INT, next, 6, copy); /* a communicator that is not the world */
  MPI_Recv(all, 1, MPI_INT, before, 6, copy, MPI_STATUS_IGNORE);
  sum += all[0];
  MPI_Comm_free(&copy);
  free(all), free(counts), free(places);
}

static void one_sided(void) {
  int memory = 0;
  MPI_Win win;
  /* Not MPI_Win_allocate: with four ranks MPICH 4.0.2 puts every rank's number into rank 0's memory. */
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  sum += memory;
  MPI_Win_free(&win);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  point_to_point();
  persistent();
  collective();
  one_sided();
  long total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %ld\n", total);
  MPI_Finalize();
  return 0;
}
