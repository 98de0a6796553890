/* teams.c TEAMS ITERATIONS - a program that creates the framework anew for each of its steps, and counts iterations from 0 each time. Tasks rise
 * from little to much, and sleep. The master prints how many results it got. */
#include <midrun.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TASKS = 48 };
static uint64_t results;

static int compute(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *in, void *out) {
  (void)user, (void)iteration, (void)count, (void)in, (void)out;
  nanosleep(&(struct timespec){0, 100000 + (long)first * 60000}, NULL);
  return 0;
}

static int collect(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *in) {
  (void)user, (void)iteration, (void)first, (void)in;
  results += count;
  return 0;
}

int main(int argc, char **argv) {
  int rank, teams = argc > 1 ? atoi(argv[1]) : 10, iterations = argc > 2 ? atoi(argv[2]) : 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int team = 0; team < teams; team++) {
    midrun_mw_t *mw;
    midrun_mw_config_t config = {.struct_size = sizeof config, .technique = "none", .compute = compute, .collect = collect};
    if (midrun_mw_create(&mw, &config) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int k = 0; k < iterations; k++)
      if (midrun_mw_iterate(mw, TASKS) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
    midrun_mw_destroy(&mw);
  }
  if (rank == 0) printf("%llu results\n", (unsigned long long)results);
  MPI_Finalize();
  return 0;
}
