/* synthetic.h - what the programs of made-up work share: their numbers by seed, their work, and how options are read. */
#ifndef SYNTHETIC_H
#define SYNTHETIC_H
#include "timing.h"
#include <stdio.h>
#include <stdlib.h>

enum { USAGE = 64 };

/* A number that looks like chance, the same for the same x. */
static inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static inline void work(double ns, int spin) {
  int64_t end = now_ns() + (int64_t)ns;
  if (spin) while (now_ns() < end) continue;
  else sleep_until(end);
}

/* One sentence on rank 0, and USAGE. */
static inline int complain(const char *program, int rank, const char *what, const char *value, const char *allowed) {
  if (rank == 0) fprintf(stderr, "%s: %s \"%s\" is not right: %s\n", program, what, value, allowed);
  return USAGE;
}

/* Whether the whole text is a number in the range. */
static inline int is_number(const char *text, double minimum, double maximum, double *out) {
  char *end;
  *out = strtod(text, &end);
  return end != text && !*end && *out >= minimum && *out <= maximum;
}
#endif
