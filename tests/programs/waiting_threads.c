/* waiting_threads.c - two threads of rank 0 compute and send; two of rank 1 receive. The main threads only start and join. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 2, ROUNDS = 6, COMPUTE_US = 100000 };

static int rank;

static void *exchange(void *number) {
  int tag = (int)(intptr_t)number;
  for (long i = 0, got; i < ROUNDS; i++) {
    if (rank == 0) {
      usleep(COMPUTE_US);
      MPI_Send(&i, 1, MPI_LONG, 1, tag, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&got, 1, MPI_LONG, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  return NULL;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, exchange, (void *)(intptr_t)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  if (rank == 0) puts("done");
  MPI_Finalize();
  return 0;
}
