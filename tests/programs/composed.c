/* composed.c - a program with two frameworks, each on a communicator of its own.
 *
 *   composed disjoint ITERATIONS   two Master/Worker teams side by side: masters are rank 0 and the middle one
 *   composed nested ITERATIONS     rank 1 is a worker of rank 0; in each of its tasks it is master of ranks 3 and up
 *   composed pipe ITERATIONS       the same, but there it is head of a pipeline
 *   composed held ITERATIONS       the same, but rank 2, which waits as a worker of rank 0, would have to take part
 *   composed itself ITERATIONS     a task runs the very framework that it is a task of
 *
 * A task's result is the square of its number; an inner framework computes it as the sum of the first odd numbers. The masters print per
 * iteration how many results were wrong or did not come once, and how many inner frameworks were refused. */
#include <midrun.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TASKS = 48 };

static int rank, size, wrong, refused, slow_ms, is_over, seen[TASKS];
static const char *mode;
static midrun_mw_t *outer, *inner;
static midrun_pipe_t *pipe_of;
static uint64_t sum, inputs;

static int is(const char *name) { return !strcmp(mode, name); }

static int odd(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *tasks, void *results) {
  (void)user; (void)iteration; (void)tasks; (void)count;
  *(uint64_t *)results = 2 * first + 1;
  usleep(200);
  return 0;
}

static int add(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *results) {
  (void)user; (void)iteration; (void)first;
  for (uint64_t k = 0; k < count; k++) sum += ((const uint64_t *)results)[k];
  return 0;
}

static int source(void *user, uint64_t input, midrun_pipe_out_t *out) {
  (void)user; (void)input;
  if (is_over) return 2; /* every rank gets the error */
  if (!inputs) return MIDRUN_PIPE_END;
  *(uint64_t *)midrun_pipe_emit(out, 8) = --inputs;
  return 0;
}

static int stage(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  (void)user; (void)input; (void)bytes;
  *(uint64_t *)midrun_pipe_emit(out, 8) = 2 * *(const uint64_t *)data + 1;
  return 0;
}

static int sink(void *user, uint64_t input, const void *data, size_t bytes) {
  (void)input; (void)bytes;
  return add(user, 0, 0, 1, data);
}

/* By an inner framework, where this rank has one to itself. */
static uint64_t square(uint64_t task) {
  sum = 0;
  if (inner && midrun_mw_iterate(inner, task) == MIDRUN_OK) return sum;
  inputs = task;
  if (pipe_of && midrun_pipe_run(pipe_of) == MIDRUN_OK) return sum;
  refused += inner || pipe_of;
  return task * task;
}

static int compute(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *tasks, void *results) {
  (void)user; (void)iteration; (void)tasks; (void)count;
  if (is("itself")) refused += midrun_mw_iterate(outer, 1) == MIDRUN_ERR_ARGUMENT;
  usleep(first < TASKS / 4 ? slow_ms * 1000 : 500);
  *(uint64_t *)results = square(first);
  return 0;
}

static int collect(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *results) {
  (void)user; (void)iteration;
  for (uint64_t k = 0; k < count; k++) {
    wrong += ((const uint64_t *)results)[k] != (first + k) * (first + k);
    seen[first + k]++;
  }
  return 0;
}

static midrun_mw_t *team(MPI_Comm *comm, int (*work)(void *, uint64_t, uint64_t, uint64_t, const void *, void *),
                         int (*take)(void *, uint64_t, uint64_t, uint64_t, const void *), const char *technique) {
  midrun_mw_config_t config = {.struct_size = sizeof config, .comm = comm, .result_bytes = 8, .compute = work, .collect = take,
                               .technique = technique};
  midrun_mw_t *mw;
  if (midrun_mw_create(&mw, &config)) MPI_Abort(MPI_COMM_WORLD, 1);
  return mw;
}

static MPI_Comm ranks(int in) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, rank, &comm);
  return comm;
}

static void iterate(int iterations, int is_master) {
  for (int k = 0; k < iterations; k++) {
    memset(seen, 0, sizeof seen);
    wrong = 0;
    int status = midrun_mw_iterate(outer, TASKS);
    for (int t = 0; is_master && t < TASKS; t++) wrong += seen[t] != 1;
    if (is_master) printf("master %d iteration %d status %d wrong %d\n", rank, k, status, wrong);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  mode = argv[1];
  int iterations = atoi(argv[2]), half = size / 2;
  if (is("disjoint")) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank < half, rank, &comm);
    slow_ms = rank < half ? 1 : 8;
    outer = team(&comm, compute, collect, "none");
    iterate(iterations, rank == 0 || rank == half);
    midrun_mw_destroy(&outer);
    MPI_Comm_free(&comm);
  } else {
    MPI_Comm teams[] = {ranks(rank < 3), ranks(rank == 1 || rank >= 3 || (is("held") && rank == 2))};
    slow_ms = 1;
    if (rank < 3) outer = team(&teams[0], compute, collect, "ss");
    if (rank != 0 && (rank != 2 || is("held")) && !is("itself")) {
      if (is("pipe")) {
        midrun_pipe_stage_t stages[] = {{.name = "odd", .run = stage}};
        midrun_pipe_config_t config = {.struct_size = sizeof config, .comm = &teams[1], .stage_count = 1, .stages = stages,
                                       .stage_size = sizeof stages[0], .source = source, .sink = sink};
        if (midrun_pipe_create(&pipe_of, &config)) MPI_Abort(MPI_COMM_WORLD, 1);
      } else {
        inner = team(&teams[1], odd, add, "ss");
      }
    }
    if (rank < 3) iterate(iterations, rank == 0);
    if (rank == 1) {
      is_over = 1;
      if (pipe_of) midrun_pipe_run(pipe_of);
      if (inner) midrun_mw_finish(inner);
    } else if (rank >= 3) {
      while (pipe_of && midrun_pipe_run(pipe_of) == MIDRUN_OK) {}
      while (inner && midrun_mw_iterate(inner, 0) == MIDRUN_OK) {}
    }
  }
  int all = 0;
  MPI_Reduce(&refused, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("refused %d\n", all);
  MPI_Finalize();
  return 0;
}
