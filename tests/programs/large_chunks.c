/* large_chunks.c - a farm whose first chunks are so large that some workers get none: those wait for their first message to the end.
 *
 *   large_chunks ROUNDS     prints the sum of all results, which no tuning may change
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TASKS = 200, WORK = 1, RESULT, STOP };

int CHUNK = 100;
static int size;

__attribute__((noinline)) int do_work(int first, int count) {
  int sum = 0;
  for (int task = first; task < first + count; task++) sum += task % 7;
  usleep((useconds_t)(200 * count));
  return sum;
}

static int send_next(int next, int worker) {
  int work[2] = {next, CHUNK < TASKS - next ? CHUNK : TASKS - next};
  MPI_Send(work, 2, MPI_INT, worker, WORK, MPI_COMM_WORLD);
  return next + work[1];
}

__attribute__((noinline)) int master_round(void) {
  int next = 0, out = 0, sum = 0, part;
  MPI_Status status;
  for (int worker = 1; worker < size && next < TASKS; worker++, out++) next = send_next(next, worker);
  for (; out > 0; out--) {
    MPI_Recv(&part, 1, MPI_INT, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
    sum += part;
    if (next < TASKS) next = send_next(next, status.MPI_SOURCE), out++;
  }
  return sum;
}

static void worker(void) {
  int work[2];
  MPI_Status status;
  for (;;) {
    MPI_Recv(work, 2, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == STOP) return;
    int part = do_work(work[0], work[1]);
    MPI_Send(&part, 1, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  int rank, rounds = argc > 1 ? atoi(argv[1]) : 20, nothing[2] = {0, 0};
  long sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank > 0) {
    worker();
  } else {
    for (int round = 0; round < rounds; round++) sum += master_round();
    for (int to = 1; to < size; to++) MPI_Send(nothing, 2, MPI_INT, to, STOP, MPI_COMM_WORLD);
    printf("total %ld\n", sum);
  }
  MPI_Finalize();
  return 0;
}
