/* counted.c - the same tasks without a master: every rank takes its next chunk from a counter, as the field's libraries do (Eleliemy, Ciorba
 * 2019: distributed chunk calculation). A chunk's size follows from its number alone.
 *
 * counted FILE ss|gss|fac2: the file is that of drawn.h. Prints the time of all iterations, seconds. Results are counted, not gathered.
 */
#include "drawn.h"
#include <math.h>
#include <string.h>

static uint64_t size_of(const char *technique, uint64_t number, uint64_t all, int ranks) {
  if (!strcmp(technique, "ss")) return 1;
  double size = !strcmp(technique, "gss") ? (double)all / ranks * pow(1.0 - 1.0 / ranks, (double)number)
                                          : (double)all / ranks * pow(0.5, (double)(number / (uint64_t)ranks) + 1.0);
  return size > 1.0 ? (uint64_t)ceil(size) : 1;
}

int main(int argc, char **argv) {
  begin_drawn(&argc, &argv);
  const char *technique = argc > 2 ? argv[2] : "fac2";
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  uint64_t *counter;
  MPI_Win window;
  MPI_Win_allocate(rank == 0 ? sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  int64_t begun = 0;
  for (uint64_t i = 0; i < head.iterations; i++) {
    const uint64_t one = 1, nothing = 0;
    uint64_t number, next = 0, of_number = 0, computed = 0, all_computed;
    if (rank == 0) {
      MPI_Accumulate(&nothing, 1, MPI_UINT64_T, 0, 0, 1, MPI_UINT64_T, MPI_REPLACE, window);
      MPI_Win_flush(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (i == 0) begun = now_ns();
    for (;;) {
      MPI_Fetch_and_op(&one, &number, MPI_UINT64_T, 0, 0, MPI_SUM, window);
      MPI_Win_flush(0, window);
      for (; of_number < number; of_number++) next += size_of(technique, of_number, tasks[i], ranks);
      if (next >= tasks[i]) break;
      uint64_t end = next + size_of(technique, number, tasks[i], ranks);
      for (uint64_t task = next; task < end && task < tasks[i]; task++, computed++) sleep_task(i, task);
    }
    MPI_Reduce(&computed, &all_computed, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all_computed != tasks[i]) MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("%.6f\n", 1e-9 * (double)(now_ns() - begun));
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
