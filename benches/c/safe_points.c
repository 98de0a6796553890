/* safe_points: a program of one rank that passes a safe point about every 60 us, so that hardly any of the time from a decision to its
 * application is the program's.
 *
 * Arguments: iterations, milliseconds of each.
 */
#include <midrun.h>
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv) {
  static int value = 0;
  MPI_Init(&argc, &argv);
  long iterations = argc > 1 ? atol(argv[1]) : 400;
  double iteration_s = (argc > 2 ? atof(argv[2]) : 10.0) * 1e-3;
  midrun_expose_int("value", &value, 0, 1);
  for (long k = 0; k < iterations; k++) {
    midrun_iteration_begin(0, 1);
    for (double end_s = MPI_Wtime() + iteration_s; MPI_Wtime() < end_s;) {
      midrun_safe_point();
      nanosleep(&(struct timespec){0, 10000}, NULL);
    }
    midrun_iteration_end();
  }
  MPI_Finalize();
  return 0;
}
