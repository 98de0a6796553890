/* failing_task.c - a farm whose master works (or with the flags of its argument), and whose task 30 of 40 fails in the
 * first of two iterations, wherever it runs. With a second argument, that is the number of tasks of the second. */
#include <midrun.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int compute(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *tasks, void *results) {
  (void)user, (void)count, (void)tasks, (void)results;
  usleep(1000);
  return iteration == 0 && first == 30;
}

int main(int argc, char **argv) {
  int rank;
  midrun_mw_t *farm;
  midrun_mw_config_t config = {.struct_size = sizeof config, .compute = compute, .flags = MIDRUN_MW_MASTER_WORKS};
  if (argc > 1) config.flags = (uint32_t)atoi(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (midrun_mw_create(&farm, &config) != MIDRUN_OK) MPI_Abort(MPI_COMM_WORLD, 1);
  int first = midrun_mw_iterate(farm, 40);
  int second = midrun_mw_iterate(farm, argc > 2 ? (uint64_t)atoll(argv[2]) : 40);
  printf("rank %d: %d then %d\n", rank, first, second);
  midrun_mw_destroy(&farm);
  MPI_Finalize();
  return 0;
}
