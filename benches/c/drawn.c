/* drawn.c - a Master/Worker program whose task times were drawn beforehand: what the simulated runs of a generated program see, for real.
 *
 * drawn FILE [TECHNIQUE] [--master-works] [--without-inputs]: the file is that of drawn.h; the master spins for its time per chunk, unless tasks
 * carry no inputs. Without a technique it starts as the framework starts.
 */
#include "drawn.h"
#include <midrun.h>
#include <string.h>

static int prepare(void *user, uint64_t iteration, uint64_t first, uint64_t count, void *inputs) {
  (void)user, (void)iteration, (void)first, (void)count, (void)inputs;
  int64_t end = now_ns() + (int64_t)(head.chunk_s * 1e9);
  while (now_ns() < end) continue;
  return 0;
}

static int compute(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *inputs, void *results) {
  (void)user, (void)inputs;
  for (uint64_t i = 0; i < count; i++) {
    sleep_task(iteration, first + i);
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
  begin_drawn(&argc, &argv);
  midrun_mw_config_t config = {.struct_size = sizeof config, .task_bytes = head.bytes, .result_bytes = sizeof(uint64_t), .prepare = prepare,
                               .compute = compute, .collect = collect};
  for (int i = 2; i < argc; i++) {
    if (!strcmp(argv[i], "--master-works")) config.flags = MIDRUN_MW_MASTER_WORKS;
    else if (!strcmp(argv[i], "--without-inputs")) config.task_bytes = 0;
    else config.technique = argv[i];
  }
  midrun_mw_t *farm;
  if (midrun_mw_create(&farm, &config) < 0) MPI_Abort(MPI_COMM_WORLD, 64);
  for (uint64_t i = 0; i < head.iterations; i++) {
    collected = 0;
    if (midrun_mw_iterate(farm, tasks[i]) < 0) MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0 && collected != tasks[i]) MPI_Abort(MPI_COMM_WORLD, 2);
  }
  midrun_mw_destroy(&farm);
  MPI_Finalize();
  return 0;
}
