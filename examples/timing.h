/* timing.h - the clock of the examples, and tasks that sleep: on a worker's core of its own or not, they take their time. */
#ifndef TIMING_H
#define TIMING_H
#include <stdint.h>
#include <time.h>

static inline int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static inline void sleep_until(int64_t end_ns) {
  struct timespec t = {end_ns / 1000000000LL, end_ns % 1000000000LL};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)) continue;
}
#endif
