/* other_thread - a thread beside the one that initialised MPI runs the iterations.
 *
 *     mpirun -n 2 other_thread ITERATIONS
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long iterations = 10;

__attribute__((noinline)) void advance(long step) {
  const struct timespec pause = {0, 2000000};
  nanosleep(&pause, NULL);
  MPI_Bcast(&step, 1, MPI_LONG, 0, MPI_COMM_WORLD);
}

static void *work(void *unused) {
  for (long i = 0; i < iterations; i++) advance(i);
  return unused;
}

int main(int argc, char **argv) {
  int provided;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  if (argc > 1) iterations = atol(argv[1]);
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  printf("%ld iterations\n", iterations);
  MPI_Finalize();
  return 0;
}
