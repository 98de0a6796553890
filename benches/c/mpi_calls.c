/* mpi_calls: what MPI calls take, in nanoseconds: the median over batches of a trivial call, of a probe, of half a round
 * trip of 8 bytes, and of a message in windows of 64. Two ranks, or one without the latter two. Run it without midrun, with it off, counting, and recording each.
 * `mpi_calls steady`: each without a rest for a second and a half, over all of that time, and a test of a request and a message to
 * oneself. There, calls are sampled.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Between two batches the agent empties the rings, so that each call of a batch is recorded where calls are; then the core wakes. */
enum { PAUSE_US = 2000, WAKE_NS = 1000000 };
enum { BATCHES = 200, CALLS = 2000, TRIPS = 500, WINDOWS = 20, WINDOW = 64 };

static int rank, is_steady;

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void rest(void) {
  usleep(PAUSE_US);
  for (double begin = clock_ns(); clock_ns() < begin + WAKE_NS;) {}
}

static double ask(void) {
  double begin = MPI_Wtime();
  int got;
  for (int i = 0; i < CALLS; i++) MPI_Comm_rank(MPI_COMM_WORLD, &got);
  return (MPI_Wtime() - begin) / CALLS;
}

static double probe(void) {
  double begin = MPI_Wtime();
  int found;
  for (int i = 0; i < CALLS; i++) MPI_Iprobe(rank, 9, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  return (MPI_Wtime() - begin) / CALLS;
}

static double trip(void) {
  double data = 0, begin;
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  for (int i = 0; i < TRIPS; i++) {
    if (rank == 0) MPI_Send(&data, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(&data, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&data, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  }
  return (MPI_Wtime() - begin) / TRIPS / 2;
}

static double stream(void) {
  double data[WINDOW] = {0}, begin;
  MPI_Request requests[WINDOW];
  MPI_Status statuses[WINDOW];
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  for (int w = 0; w < WINDOWS; w++) {
    for (int i = 0; i < WINDOW; i++)
      if (rank == 0) MPI_Isend(&data[i], 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, &requests[i]);
      else MPI_Irecv(&data[i], 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(WINDOW, requests, statuses);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return (MPI_Wtime() - begin) / (WINDOWS * WINDOW);
}

static double test(void) {
  double begin = MPI_Wtime(), data;
  int done;
  MPI_Request request;
  MPI_Irecv(&data, 1, MPI_DOUBLE, rank, 3, MPI_COMM_WORLD, &request);
  for (int i = 0; i < CALLS; i++) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return (MPI_Wtime() - begin) / CALLS;
}

static double to_oneself(void) {
  double begin = MPI_Wtime(), data = 0, got;
  MPI_Request request;
  for (int i = 0; i < TRIPS; i++) {
    MPI_Irecv(&got, 1, MPI_DOUBLE, rank, 4, MPI_COMM_WORLD, &request);
    MPI_Send(&data, 1, MPI_DOUBLE, rank, 4, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return (MPI_Wtime() - begin) / TRIPS;
}

/* Each rank makes the same number of calls, as a message needs both. The mean is of the quicker nine tenths: another program on the
 * machine only adds time. */
static void last(const char *name, double (*one)(void)) {
  enum { MOST = 100000 };
  static double s[MOST];
  double sum = 0, begin = MPI_Wtime();
  int n = 0, go = 1, kept;
  while (go && n < MOST) {
    for (int i = 0; i < 50 && n < MOST; i++) s[n++] = one();
    go = MPI_Wtime() < begin + 1.5;
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  qsort(s, (size_t)n, sizeof *s, by_size);
  kept = n - n / 10;
  for (int i = 0; i < kept; i++) sum += s[i];
  if (rank == 0) printf("%s %.2f\n", name, 1e9 * sum / kept);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void measure(const char *name, double (*one)(void)) {
  if (is_steady) {
    last(name, one);
    return;
  }
  static double s[BATCHES];
  for (int i = 0; i < BATCHES; i++) {
    rest();
    s[i] = one();
  }
  qsort(s, BATCHES, sizeof *s, by_size);
  if (rank == 0) printf("%s %.1f\n", name, 1e9 * s[BATCHES / 2]);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  is_steady = argc > 1 && !strcmp(argv[1], "steady");
  if (size > 1) for (int i = 0; i < 100; i++) rest(), trip(); /* the clock's rate, the first connections */
  measure("MPI_Comm_rank", ask);
  measure("MPI_Iprobe", probe);
  if (size > 1) measure("half_trip_8B", trip), measure("message_in_window", stream);
  if (is_steady) measure("MPI_Test", test), measure("message_to_oneself", to_oneself);
  MPI_Finalize();
  return 0;
}
