/* drawn.c - a Master/Worker program whose task times were drawn beforehand: what the simulated runs of a generated program see, for real.
 *
 * drawn FILE [TECHNIQUE]: FILE holds, in the machine's order of bytes: iterations, workers and bytes per task (uint64_t), the master's time per
 * chunk (double, seconds); then for each iteration its tasks (uint64_t), each worker's time for a task relative to the fastest (double), and the
 * tasks' times (double, seconds). Tasks sleep; the master spins. Without a technique it starts as the framework starts.
 */
#include "../../examples/timing.h"
#include <midrun.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

static struct { uint64_t iterations, workers, bytes; double chunk_s; } head;
static uint64_t *tasks;   /* by iteration */
static double **slowness; /* by iteration and worker */
static double **times;    /* by iteration and task */
static int rank;

static void *read_many(FILE *file, size_t count, size_t size) {
  void *all = malloc(count * size + 1);
  if (!all || fread(all, size, count, file) != count) {
    fprintf(stderr, "drawn: the file ends early\n");
    exit(65);
  }
  return all;
}

static int prepare(void *user, uint64_t iteration, uint64_t first, uint64_t count, void *inputs) {
  (void)user, (void)iteration, (void)first, (void)count, (void)inputs;
  int64_t end = now_ns() + (int64_t)(head.chunk_s * 1e9);
  while (now_ns() < end) continue;
  return 0;
}

static int compute(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *inputs, void *results) {
  (void)user, (void)inputs;
  double slow = slowness[iteration][(uint64_t)(rank - 1) % head.workers];
  for (uint64_t i = 0; i < count; i++) {
    sleep_until(now_ns() + (int64_t)(1e9 * slow * times[iteration][first + i]));
    ((uint64_t *)results)[i] = first + i;
  }
  return 0;
}

static uint64_t collected; /* tasks of this iteration whose result is right */
static int collect(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *results) {
  (void)user, (void)iteration;
  for (uint64_t i = 0; i < count; i++) collected += ((const uint64_t *)results)[i] == first + i;
  return 0;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file || fread(&head, sizeof head, 1, file) != 1) {
    fprintf(stderr, "drawn: a file with task times is expected\n");
    MPI_Abort(MPI_COMM_WORLD, 64);
  }
  tasks = calloc(head.iterations, sizeof *tasks);
  slowness = calloc(head.iterations, sizeof *slowness);
  times = calloc(head.iterations, sizeof *times);
  if (!tasks || !slowness || !times) MPI_Abort(MPI_COMM_WORLD, 1);
  for (uint64_t i = 0; i < head.iterations; i++) {
    if (fread(&tasks[i], sizeof *tasks, 1, file) != 1) MPI_Abort(MPI_COMM_WORLD, 65);
    slowness[i] = read_many(file, head.workers, sizeof(double));
    times[i] = read_many(file, tasks[i], sizeof(double));
  }
  fclose(file);
  midrun_mw_config_t config = {.struct_size = sizeof config, .task_bytes = head.bytes, .result_bytes = sizeof(uint64_t), .prepare = prepare,
                               .compute = compute, .collect = collect, .technique = argc > 2 ? argv[2] : NULL};
  midrun_mw_t *farm;
  if (midrun_mw_create(&farm, &config) < 0) MPI_Abort(MPI_COMM_WORLD, 64);
  prctl(PR_SET_TIMERSLACK, 1000UL);
  for (uint64_t i = 0; i < head.iterations; i++) {
    collected = 0;
    if (midrun_mw_iterate(farm, tasks[i]) < 0) MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0 && collected != tasks[i]) MPI_Abort(MPI_COMM_WORLD, 2);
  }
  midrun_mw_destroy(&farm);
  MPI_Finalize();
  return 0;
}
