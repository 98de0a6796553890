/* record_cost: what one mark costs the caller, in bursts that fit the ring, with whoever drains it.
 *
 * Prints `name median_ns p10_ns p90_ns` lines. A mark pair (work_begin + work_end) writes one record;
 * clock is two readings of the clock a hand-written timer would use. Run it under `midrun run`, else the
 * marks are off and that is what is measured.
 */
#include <midrun.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BURST = 2000, BURSTS = 300 };

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void pairs(void) {
  for (int i = 0; i < BURST; i++) {
    midrun_work_begin((uint64_t)i, 1);
    midrun_work_end();
  }
}

static void clocks(void) {
  for (int i = 0; i < BURST; i++) {
    (void)now_ns();
    (void)now_ns();
  }
}

static void measure(const char *name, void (*burst)(void)) {
  static double ns[BURSTS];
  for (int b = 0; b < BURSTS; b++) {
    struct timespec rest = {0, 4000000}; /* let the reader empty the ring */
    nanosleep(&rest, NULL);
    double start = now_ns();
    burst();
    ns[b] = (now_ns() - start) / BURST;
  }
  qsort(ns, BURSTS, sizeof ns[0], ascending);
  printf("%s %.1f %.1f %.1f\n", name, ns[BURSTS / 2], ns[BURSTS / 10], ns[BURSTS * 9 / 10]);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  midrun_iteration_begin((uint64_t)BURST * BURSTS, 1);
  measure("mark_pair", pairs);
  measure("clock_gettime_pair", clocks);
  midrun_iteration_end();
  MPI_Finalize();
  return 0;
}
