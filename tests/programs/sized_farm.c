/* sized_farm.c - a farm whose inputs and results have odd sizes: "fixed" ones of 7 and 13 bytes, or "any" ones that differ from task to task.
 *
 *   sized_farm fixed|any TECHNIQUE|- TASKS...     one iteration for each number of tasks
 *
 * The master prints for each iteration how many tasks came back other than once or wrong, in how many calls of collect, and how many tasks
 * each rank computed. */
#include <midrun.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TASK = 7, RESULT = 13, MOST = 100000 };

static int rank, size, wrong, calls, seen[MOST], by[1024];

static unsigned byte(uint64_t iteration, uint64_t task) { return (unsigned)(iteration * 31 + task * 7 + 1) & 255; }
static size_t input_bytes(uint64_t task) { return (size_t)(task * 37 % 101); }

static void done(uint64_t iteration, uint64_t task, const unsigned char *result, size_t bytes) {
  int from;
  memcpy(&from, result, sizeof from);
  if (from < 0 || from >= size || task >= MOST) { wrong++; return; }
  for (size_t k = sizeof from; k < bytes; k++) wrong += result[k] != byte(iteration, task);
  seen[task]++;
  by[from]++;
}

static int prepare(void *user, uint64_t iteration, uint64_t first, uint64_t count, void *tasks) {
  (void)user;
  for (uint64_t i = 0; i < count; i++) memset((char *)tasks + i * TASK, (int)byte(iteration, first + i), TASK);
  return 0;
}

static int compute(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *tasks, void *results) {
  (void)user;
  for (uint64_t i = 0; i < count; i++) {
    const unsigned char *in = (const unsigned char *)tasks + i * TASK;
    unsigned char *out = (unsigned char *)results + i * RESULT;
    usleep(first + i == 3 ? 20000 : 100);
    memset(out, in[0] == byte(iteration, first + i) ? in[TASK - 1] : ~in[0], RESULT);
    memcpy(out, &rank, sizeof rank);
  }
  return 0;
}

static int collect(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *results) {
  (void)user;
  calls++;
  for (uint64_t i = 0; i < count; i++) done(iteration, first + i, (const unsigned char *)results + i * RESULT, RESULT);
  return 0;
}

static int prepare_any(void *user, uint64_t iteration, uint64_t first, uint64_t count, midrun_mw_out_t *out) {
  (void)user;
  for (uint64_t i = first; i < first + count; i++) {
    void *room = midrun_mw_emit(out, input_bytes(i));
    if (!room) return 1;
    memset(room, (int)byte(iteration, i), input_bytes(i));
  }
  return 0;
}

static int compute_any(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *tasks, size_t bytes, midrun_mw_out_t *out) {
  (void)user;
  const unsigned char *in = tasks, *end = in + bytes;
  for (uint64_t i = first; i < first + count; i++) {
    int good = in + input_bytes(i) <= end;
    for (size_t k = 0; good && k < input_bytes(i); k++) good = in[k] == byte(iteration, i);
    in += input_bytes(i);
    unsigned char *result = midrun_mw_emit(out, sizeof rank + 1 + input_bytes(i));
    if (!result) return 1;
    usleep(100);
    memset(result, (int)(good ? byte(iteration, i) : ~byte(iteration, i)), sizeof rank + 1 + input_bytes(i));
    memcpy(result, &rank, sizeof rank);
  }
  return 0;
}

static int collect_any(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *results, size_t bytes) {
  (void)user;
  const unsigned char *result = results, *end = result + bytes;
  calls++;
  for (uint64_t i = first; i < first + count; i++) {
    size_t own = sizeof rank + 1 + input_bytes(i);
    if (result + own > end) { wrong++; return 0; }
    done(iteration, i, result, own);
    result += own;
  }
  wrong += result != end;
  return 0;
}

int main(int argc, char **argv) {
  midrun_mw_t *farm;
  midrun_mw_config_t config = {.struct_size = sizeof config, .prepare = prepare, .compute = compute, .collect = collect, .task_bytes = TASK, .result_bytes = RESULT};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!strcmp(argv[1], "any")) {
    config.flags = MIDRUN_MW_ANY_SIZE;
    config.task_bytes = config.result_bytes = 0;
    config.prepare_any = prepare_any, config.compute_any = compute_any, config.collect_any = collect_any;
  }
  config.technique = strcmp(argv[2], "-") ? argv[2] : NULL; /* mfsc with recall */
  if (midrun_mw_create(&farm, &config) != MIDRUN_OK) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int at = 3; at < argc; at++) {
    uint64_t tasks = strtoull(argv[at], NULL, 10);
    memset(seen, 0, sizeof seen), memset(by, 0, sizeof by), wrong = calls = 0;
    int status = midrun_mw_iterate(farm, tasks);
    if (status != MIDRUN_OK) fprintf(stderr, "rank %d: %s\n", rank, midrun_status_text(status));
    if (rank != 0) continue;
    for (uint64_t i = 0; i < MOST; i++) wrong += seen[i] != (i < tasks);
    printf("%llu tasks: %d wrong, %d calls, by rank", (unsigned long long)tasks, wrong, calls);
    for (int k = 0; k < size; k++) printf(" %d", by[k]);
    printf("\n");
  }
  midrun_mw_destroy(&farm);
  MPI_Finalize();
  return 0;
}
