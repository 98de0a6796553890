/* lttng_cost: the peer's figure for record_cost: one LTTng-UST tracepoint with 32 bytes of payload.
 *
 * Prints `lttng_tracepoint median_ns p10_ns p90_ns`; start it inside a running lttng session.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_tp.h"

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

int main(void) {
  static double ns[BURSTS];
  for (int b = 0; b < BURSTS; b++) {
    struct timespec rest = {0, 4000000};
    nanosleep(&rest, NULL);
    double start = now_ns();
    for (uint64_t i = 0; i < BURST; i++) lttng_ust_tracepoint(midrun_peer, work, i, i, i, i);
    ns[b] = (now_ns() - start) / BURST;
  }
  qsort(ns, BURSTS, sizeof ns[0], ascending);
  printf("lttng_tracepoint %.1f %.1f %.1f\n", ns[BURSTS / 2], ns[BURSTS / 10], ns[BURSTS * 9 / 10]);
  return 0;
}
