/* quicksort - sorts random numbers by divide and conquer.
 *
 *     mpirun -n 5 quicksort --numbers 4000000 --solves 10 [--cutoff DEPTH] [--workers N] [--check]
 * A problem is divided at a pivot, the median of three of its numbers; short ones are sorted by qsort. The master divides down to the
 * cut-off depth: deeper, it spends more time on numbers that workers could divide as well; less deep, the last workers have too much.
 * --check compares the result with the numbers sorted by qsort on rank 0.
 */
#include "example.h"

static long numbers = 1000000, solves = 5, cutoff, workers, check;
static const char *technique;

enum { SHORT = 1024 };

static int order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double a, double b, double c) {
  if ((a <= b) == (b <= c)) return b;
  return (b <= a) == (a <= c) ? a : c;
}

static int divide(void *user, const void *data, size_t bytes, midrun_dc_out_t *parts) {
  (void)user;
  const double *x = data;
  size_t count = bytes / sizeof *x, less = 0, equal = 0, at[3] = {0};
  if (count <= SHORT) return MIDRUN_DC_BASE;
  double pivot = median(x[0], x[count / 2], x[count - 1]);
  for (size_t i = 0; i < count; i++) less += x[i] < pivot, equal += x[i] == pivot;
  size_t lengths[3] = {less, equal, count - less - equal};
  if (less + equal == 0 || equal == count) return MIDRUN_DC_BASE;
  double *part[3];
  for (int k = 0; k < 3; k++)
    if (!(part[k] = midrun_dc_emit(parts, lengths[k] * sizeof *x))) return -1;
  for (size_t i = 0; i < count; i++) {
    int k = x[i] < pivot ? 0 : x[i] == pivot ? 1 : 2;
    part[k][at[k]++] = x[i];
  }
  return 0;
}

static int base(void *user, const void *data, size_t bytes, midrun_dc_out_t *result) {
  (void)user;
  void *sorted = midrun_dc_emit(result, bytes);
  if (!sorted) return -1;
  memcpy(sorted, data, bytes);
  qsort(sorted, bytes / sizeof(double), sizeof(double), order);
  return 0;
}

static int combine(void *user, const void *data, size_t bytes, const midrun_dc_part_t *parts, uint32_t count, midrun_dc_out_t *result) {
  (void)user, (void)data;
  char *sorted = midrun_dc_emit(result, bytes);
  if (!sorted) return -1;
  for (uint32_t k = 0; k < count; sorted += parts[k].bytes, k++) memcpy(sorted, parts[k].data, parts[k].bytes);
  return 0;
}

static double draw(uint64_t solve, uint64_t at) {
  uint64_t x = (solve + 1) * 0x9e3779b97f4a7c15u + at * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 30)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

static int sort(int rank, midrun_dc_t *dc, double *x) {
  long wrong = 0;
  for (long s = 0; s < solves; s++) {
    for (long i = 0; i < numbers && rank == 0; i++) x[i] = draw((uint64_t)s, (uint64_t)i);
    const void *sorted = NULL;
    size_t bytes = 0;
    int code = exit_code("quicksort", rank, midrun_dc_solve(dc, x, (size_t)numbers * sizeof *x, &sorted, &bytes));
    if (code) return code;
    if (rank != 0) continue;
    tell_solve(dc);
    if (check) {
      qsort(x, (size_t)numbers, sizeof *x, order);
      wrong += bytes != (size_t)numbers * sizeof *x || memcmp(x, sorted, bytes) != 0;
    }
  }
  if (rank == 0 && check) printf("wrong orders: %ld\n", wrong);
  return wrong != 0;
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const option_t table[] = {{"--numbers", &numbers, 0, 1, 100000000}, {"--solves", &solves, 0, 1, 1000000}, {"--cutoff", &cutoff, 0, 0, 30},
                            {"--workers", &workers, 0, 0, 1000000}, {"--technique", 0, &technique, 0, 0}, {"--check", &check, 0, 1, 1}, {0}};
  int code = options(argc, argv, rank, table);
  midrun_dc_t *dc = NULL;
  double *x = NULL;
  if (!code) {
    midrun_dc_config_t config = {.struct_size = sizeof config, .divide = divide, .base = base, .combine = combine, .cutoff = (uint32_t)cutoff,
                                 .workers = (uint32_t)workers, .technique = technique};
    if (rank == 0 && !(x = malloc((size_t)numbers * sizeof *x))) {
      fprintf(stderr, "quicksort: there is no memory for %ld numbers\n", numbers);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    code = exit_code("quicksort", rank, midrun_dc_create(&dc, &config));
  }
  if (!code) code = sort(rank, dc, x);
  if (dc) midrun_dc_destroy(&dc);
  free(x);
  MPI_Finalize();
  return code;
}
