/* example.h - what the example programs share: options given as --name VALUE, and ends with one sentence. */
#ifndef EXAMPLE_H
#define EXAMPLE_H
#define _GNU_SOURCE
#include "timing.h"
#include <midrun.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { USAGE = 64 };

/* Sleeps until `ns` nanoseconds after `begin_ns`: with an option --pace a task takes a set time for its amount of work, so that many
 * ranks on few cores behave as if each had a core of its own. */
static inline void pace(int64_t begin_ns, int64_t ns) {
  static int exact;
  if (!exact) exact = 1, prctl(PR_SET_TIMERSLACK, 1000UL);
  if (ns > 0) sleep_until(begin_ns + ns);
}

typedef struct {
  const char *name; /* "--width" */
  long *number;     /* NULL where text is */
  const char **text;
  long minimum, maximum; /* of a number; where they are the same, the option is given without it */
} option_t;

/* 0, or USAGE after one sentence on rank 0. The table ends with a NULL name. */
static inline int options(int argc, char **argv, int rank, const option_t *table) {
  for (int i = 1; i < argc; i++) {
    const option_t *o = table;
    while (o->name && strcmp(o->name, argv[i])) o++;
    if (!o->name) {
      if (rank == 0) {
        fprintf(stderr, "%s: there is no option \"%s\"; the options are:", argv[0], argv[i]);
        for (o = table; o->name; o++) fprintf(stderr, " %s", o->name);
        fputc('\n', stderr);
      }
      return USAGE;
    }
    if (o->number && o->minimum == o->maximum) {
      *o->number = o->minimum;
      continue;
    }
    char *end = "x";
    long value = i + 1 < argc && o->number ? strtol(argv[i + 1], &end, 10) : 0;
    int good = i + 1 < argc && (o->text || (!*end && value >= o->minimum && value <= o->maximum));
    if (!good) {
      if (rank == 0 && o->text) fprintf(stderr, "%s: %s wants a value\n", argv[0], o->name);
      else if (rank == 0) fprintf(stderr, "%s: %s wants a whole number from %ld to %ld\n", argv[0], o->name, o->minimum, o->maximum);
      return USAGE;
    }
    i++;
    if (o->text) *o->text = argv[i];
    else *o->number = value;
  }
  return 0;
}

/* The exit code for a status; says on rank 0 what is wrong. */
static inline int exit_code(const char *program, int rank, int status) {
  if (status >= 0) return 0;
  if (rank == 0) fprintf(stderr, "%s: %s\n", program, midrun_status_text(status));
  return status == MIDRUN_ERR_NO_WORKER || status == MIDRUN_ERR_ARGUMENT ? USAGE : 1;
}

/* One line about the last iteration, on the master. */
static inline void tell(const midrun_mw_t *mw, const char *what) {
  midrun_mw_stats_t s = {.struct_size = sizeof s};
  if (midrun_mw_last(mw, &s) < 0) return;
  double ideal = s.task_s / s.workers;
  printf("iteration %llu: %.4f s, ideal %.4f s, technique %s, %llu chunks%s%s\n", (unsigned long long)s.iteration, s.iteration_s, ideal,
         midrun_technique_name(s.technique), (unsigned long long)s.chunks, *what ? "; " : "", what);
  fflush(stdout);
}

/* One line about the last solve, on the master. */
static inline void tell_solve(const midrun_dc_t *dc) {
  midrun_dc_stats_t s = {.struct_size = sizeof s};
  if (midrun_dc_last(dc, &s) < 0) return;
  printf("solve %llu: %.4f s, ideal %.4f s, cut-off depth %u, %llu tasks, the master divided %.4f s and combined %.4f s\n",
         (unsigned long long)s.iteration, s.iteration_s, (s.task_s + s.divide_s + s.combine_s) / s.workers, s.cutoff, (unsigned long long)s.tasks, s.divide_s, s.combine_s);
  fflush(stdout);
}

/* A number that changes when any byte does (FNV-1a). */
static inline uint64_t checksum(const void *data, size_t bytes) {
  uint64_t h = 14695981039346656037u;
  for (size_t i = 0; i < bytes; i++) h = (h ^ ((const unsigned char *)data)[i]) * 1099511628211u;
  return h;
}
#endif
