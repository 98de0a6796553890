/* pipeline.h - what the examples of real pipelines share: options, streams with their figures, and stages without midrun, to check by. */
#ifndef PIPELINE_H
#define PIPELINE_H
#define _GNU_SOURCE
#include "synthetic.h"
#include <getopt.h>
#include <midrun.h>
#include <mpi.h>
#include <string.h>

/* The option --name: a switch, a whole number in a range, or a text. A table of them ends with a NULL name. */
typedef struct {
  const char *name;
  int *on;
  const char **text;
  long *number, minimum, maximum;
} option_t;

/* 0; USAGE after one sentence on rank 0; -1 where --help was asked for and given. */
static inline int options(int argc, char **argv, const char *program, int rank, const char *help, const option_t *table) {
  enum { MOST = 20, HELP = MOST };
  struct option known[MOST + 2] = {{"help", 0, NULL, HELP}};
  for (int k = 0; table[k].name && k < MOST; k++) known[k + 1] = (struct option){table[k].name, !table[k].on, NULL, k};
  opterr = 0;
  for (int k; (k = getopt_long(argc, argv, ":", known, NULL)) != -1;) {
    if (k == HELP) return rank == 0 && fputs(help, stdout) < 0 ? USAGE : -1;
    if (k == ':') return complain(program, rank, "the option", argv[optind - 1], "it wants a value");
    if (k > HELP) return complain(program, rank, "the option", argv[optind - 1], "--help lists the options");
    const option_t *o = &table[k];
    char *end = "", name[40], range[80];
    long value = o->number ? strtol(optarg, &end, 10) : 0;
    if (o->number && (end == optarg || *end || value < o->minimum || value > o->maximum)) {
      snprintf(name, sizeof name, "--%s", o->name);
      snprintf(range, sizeof range, "a whole number from %ld to %ld is expected", o->minimum, o->maximum);
      return complain(program, rank, name, optarg, range);
    }
    if (o->on) *o->on = 1;
    if (o->text) *o->text = optarg;
    if (o->number) *o->number = value;
  }
  return optind < argc ? complain(program, rank, "the argument", argv[optind], "--help lists the options") : 0;
}

/* What an output is written to where there is no midrun. */
typedef struct {
  void *data;
  size_t bytes;
} buffer_t;
static buffer_t here;

/* Room for the output of a source or stage: midrun's, or without one `here`. */
static inline void *room(midrun_pipe_out_t *out, size_t bytes) {
  if (out) return midrun_pipe_emit(out, bytes);
  free(here.data);
  here = (buffer_t){calloc(1, bytes + 1), bytes};
  return here.data;
}

/* What the source and the stages make of an input, one after the other in this process; valid until the next call. `data` is NULL where
 * one failed. A stage with state must be given the inputs in their order here, too. */
static inline buffer_t in_sequence(const midrun_pipe_config_t *c, uint64_t input) {
  int bad = c->source(c->user, input, NULL);
  for (uint32_t s = 0; s < c->stage_count && !bad; s++) {
    buffer_t in = here;
    here = (buffer_t){NULL, 0};
    bad = c->stages[s].run(c->user, input, in.data, in.bytes, NULL);
    free(in.data);
  }
  if (bad) free(here.data), here = (buffer_t){NULL, 0};
  return here;
}

/* A figure of a stream besides those that midrun has. */
typedef struct {
  const char *name;
  double value;
} figure_t;
enum { FIGURES = 4 };

static inline void tell(const midrun_pipe_t *pipe, int json, const figure_t *more) {
  midrun_pipe_stats_t s = {.struct_size = sizeof s};
  midrun_pipe_last(pipe, &s);
  printf(json ? "{\"inputs\":%llu,\"outputs\":%llu,\"changes\":%llu,\"seconds\":%.6f"
              : "inputs %llu, outputs %llu, changes %llu, seconds %.4f",
         (unsigned long long)s.inputs, (unsigned long long)s.outputs, (unsigned long long)s.changes, s.seconds);
  for (int k = 0; k < FIGURES && more[k].name; k++) printf(json ? ",\"%s\":%.6g" : ", %s %.6g", more[k].name, more[k].value);
  puts(json ? "}" : "");
  fflush(stdout);
}

/* Runs `runs` streams and tells their figures. `judge` says on rank 0 after each whether all is right, and adds figures. Returns the
 * exit code. */
static inline int streams(const char *program, int rank, const midrun_pipe_config_t *config, long runs, int json,
                          int (*judge)(const midrun_pipe_config_t *, figure_t *)) {
  midrun_pipe_t *pipe;
  int status = midrun_pipe_create(&pipe, config), bad = 0;
  for (long r = 0; r < runs && status >= 0; r++) { /* a status is the same on every rank, what is judged is not */
    status = midrun_pipe_run(pipe);
    if (status < 0 || rank != 0) continue;
    figure_t more[FIGURES] = {0};
    bad |= !judge(config, more);
    tell(pipe, json, more);
  }
  if (status != MIDRUN_ERR_ARGUMENT) midrun_pipe_destroy(&pipe);
  /* What of a stage, source or pattern was wrong has been said. */
  if (status < 0 && status != MIDRUN_ERR_TASK && status != MIDRUN_ERR_ARGUMENT && rank == 0)
    fprintf(stderr, "%s: %s\n", program, midrun_status_text(status));
  return status == MIDRUN_ERR_ARGUMENT ? USAGE : status < 0 || bad;
}
#endif
