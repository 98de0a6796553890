/* mark_load: a program that marks 10 000 pieces of work a second per rank and computes all the time.
 *
 * Prints the loop's wall time in seconds on rank 0. Run with and without midrun, the ratio is what the shim
 * costs a whole program. Arguments: [pieces] [microseconds of work per piece] [iterations of so many pieces]. Prints its own
 * resident memory after a tenth of several iterations, and at the end, too.
 */
#include <midrun.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;

/* A fixed amount of arithmetic, not of time: a slower machine must show as a longer run. */
static void work(long turns) {
  double x = 1.0;
  for (long i = 0; i < turns; i++) x = x * 1.0000001 + 1e-9;
  sink = x;
}

static long resident_kib(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%*s %ld", &pages) != 1) pages = 0;
  fclose(file);
  return pages * 4;
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  long pieces = argc > 1 ? atol(argv[1]) : 30000;
  double want_s = (argc > 2 ? atof(argv[2]) : 100.0) * 1e-6;
  long iterations = argc > 3 ? atol(argv[3]) : 1, early_kib = 0;
  /* Calibrate the amount on rank 0 once, from MIDRUN_BENCH_TURNS when given, so that runs are comparable. */
  const char *given = getenv("MIDRUN_BENCH_TURNS");
  long turns = given ? atol(given) : 0;
  if (turns <= 0) {
    double start = MPI_Wtime();
    work(20000000);
    turns = (long)(20000000 * want_s / (MPI_Wtime() - start));
  }
  MPI_Bcast(&turns, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (long k = 0; k < iterations; k++) {
    if (k == iterations / 10) early_kib = resident_kib();
    if (rank == 0) midrun_iteration_begin((uint64_t)pieces, 1);
    for (long i = 0; i < pieces; i++) {
      midrun_work_begin((uint64_t)i, 1);
      work(turns);
      midrun_work_end();
    }
    if (rank == 0) midrun_iteration_end();
  }
  double mine = MPI_Wtime() - start, longest;
  MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("turns %ld loop_s %.6f\n", turns, longest);
  if (rank == 0 && iterations > 1) printf("resident KiB: %ld after a tenth, %ld at the end\n", early_kib, resident_kib());
  MPI_Finalize();
  return 0;
}
