/* allreduce_choice - all ranks run the same loop and sum a vector in each iteration by one of three algorithms.
 *
 *     mpirun -n 16 allreduce_choice --iterations 400 --delay-us 2000
 *     midrun set algorithm 1 --synchronized      0 = MPI_Allreduce, 1 = a ring, 2 = to rank 0 and back
 *     midrun set stop 1 --synchronized           all ranks end their loop before the same iteration
 *     midrun run --search 'algorithm=0,1,2 categorical synchronized' -- mpirun -n 16 allreduce_choice --delay-us 0
 *
 * Ranks that ran different algorithms in one iteration would deadlock or sum wrongly, so each rank checks the sum of each iteration
 * and prints the iterations in which its algorithm changed. */
#include "example.h"

enum { TAG = 7, NAP_NS = 50000 };
static long iterations = 200, doubles = 64, delay_us = 1000, period_us, first;
static int algorithm, stop, rank, size;

/* Waits without using a core: many ranks may share a few cores. */
static void nap_until(MPI_Request *requests, int count) {
  MPI_Status statuses[2];
  for (int done = 0;;) {
    MPI_Testall(count, requests, &done, statuses);
    if (done) return;
    nanosleep(&(struct timespec){0, NAP_NS}, NULL);
  }
}

static void move(const double *out, int to, double *in, int from, long count) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (from >= 0) MPI_Irecv(in, (int)count, MPI_DOUBLE, from, TAG, MPI_COMM_WORLD, &requests[0]);
  if (to >= 0) MPI_Isend(out, (int)count, MPI_DOUBLE, to, TAG, MPI_COMM_WORLD, &requests[1]);
  nap_until(requests, 2);
}

static void by_mpi(const double *own, double *sum) {
  MPI_Request request;
  MPI_Iallreduce(own, sum, (int)doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  nap_until(&request, 1);
}

/* Sends every vector once around the ring. */
static void by_ring(const double *own, double *sum, double *passing, double *coming) {
  memcpy(passing, own, sizeof(double[doubles])), memcpy(sum, own, sizeof(double[doubles]));
  for (int step = 1; step < size; step++) {
    move(passing, (rank + 1) % size, coming, (rank + size - 1) % size, doubles);
    for (long i = 0; i < doubles; i++) sum[i] += coming[i];
    memcpy(passing, coming, sizeof(double[doubles]));
  }
}

static void by_rank_0(const double *own, double *sum, double *coming) {
  memcpy(sum, own, sizeof(double[doubles]));
  if (rank > 0) move(own, 0, NULL, -1, doubles), move(NULL, -1, sum, 0, doubles);
  for (int from = 1; rank == 0 && from < size; from++) {
    move(NULL, -1, coming, from, doubles);
    for (long i = 0; i < doubles; i++) sum[i] += coming[i];
  }
  for (int to = 1; rank == 0 && to < size; to++) move(sum, to, NULL, -1, doubles);
}

/* Sums the vectors of iteration `it`; returns how many elements are wrong. The elements are integers, so the order of addition does
 * not matter. */
static long reduce(long it, double *own, double *sum, double *a, double *b) {
  long wrong = 0;
  for (long i = 0; i < doubles; i++) own[i] = (double)(rank + it * i), sum[i] = -1;
  int way = algorithm;
  if (way == 1) by_ring(own, sum, a, b);
  else if (way == 2) by_rank_0(own, sum, a);
  else by_mpi(own, sum);
  for (long i = 0; i < doubles; i++) wrong += sum[i] != (double)size * (size - 1) / 2 + (double)size * (double)(it * i);
  return wrong;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const option_t table[] = {{"--iterations", &iterations, 0, 1, 100000000}, {"--doubles", &doubles, 0, 1, 1000000}, {"--delay-us", &delay_us, 0, 0, 100000000},
                            {"--period-us", &period_us, 0, 0, 100000000}, {"--algorithm", &first, 0, 0, 2}, {0}};
  int code = options(argc, argv, rank, table);
  double *room = code ? NULL : calloc(4 * (size_t)doubles, sizeof(double));
  long wrong = 0, before = first;
  algorithm = (int)first;
  if (room) midrun_expose_int("algorithm", &algorithm, 0, 2), midrun_expose_int("stop", &stop, 0, 1);
  unsigned seed = 1u + (unsigned)rank;
  for (long it = 0; room && it < iterations; it++) {
    int64_t begin_ns = now_ns();
    midrun_iteration_begin(0, rank == 0 ? (uint32_t)size : 0); /* rank 0's iterations are those that midrun times */
    if (stop) break;
    if (algorithm != before) {
      printf("rank %d: algorithm %d from iteration %ld\n", rank, algorithm, it), fflush(stdout);
      before = algorithm;
    }
    wrong += reduce(it, room, room + doubles, room + 2 * doubles, room + 3 * doubles);
    if (delay_us > 0) pace(begin_ns, 1000 * (int64_t)(rand_r(&seed) % (unsigned)delay_us));
    if (period_us > 0) pace(begin_ns, 1000 * period_us);
    midrun_iteration_end();
    if (rank == 0 && it % 50 == 0) printf("iteration %ld\n", it), fflush(stdout);
  }
  if (room) printf("rank %d: %ld wrong\n", rank, wrong);
  free(room);
  MPI_Finalize();
  return code ? code : wrong > 0;
}
