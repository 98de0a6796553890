/* threaded_calls.c - four threads of each of two ranks send to each other at the same time (MPI_THREAD_MULTIPLE). */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 500 };

static int rank;

static void *exchange(void *number) {
  int tag = (int)(intptr_t)number;
  long got = 0, sum = 0;
  for (long i = 0; i < ROUNDS; i++) {
    MPI_Request request;
    MPI_Isend(&i, 1, MPI_LONG, 1 - rank, tag, MPI_COMM_WORLD, &request);
    MPI_Recv(&got, 1, MPI_LONG, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += got;
  }
  return (void *)(intptr_t)sum;
}

int main(int argc, char **argv) {
  int provided;
  long total = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int again = 0; again < 2; again++) { /* the second four threads continue the pages of the first */
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, exchange, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) {
      void *sum;
      pthread_join(threads[i], &sum);
      total += (long)(intptr_t)sum;
    }
  }
  if (rank == 0) printf("level %d sum %ld\n", provided == MPI_THREAD_MULTIPLE, total);
  MPI_Finalize();
  return 0;
}
