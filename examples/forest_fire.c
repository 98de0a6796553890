/* forest_fire - a fire spreads over a square forest; each iteration is one time step, each task one row.
 *
 *     mpirun -n 9 forest_fire --size 500 --steps 60 [--cost STEPS per heat] [--pace MICROSECONDS per heat]
 *         [--workers N to begin with] [--technique NAME] [--check]
 * Only burning trees cost time, for their heat is computed: the work is small and central at first, then grows into a ring. Random
 * numbers depend on the cell and the step alone, so the fire is deterministic. --check tests on rank 0 that each cell is as one process alone
 * computes it.
 */
#include "example.h"
#include <math.h>

enum { EMPTY, TREE, BURNING, ASH };

static long size = 300, steps = 40, cost = 2000, pace_us, workers, check;
static const char *technique;
static unsigned char *forest, *next, *alone;

static uint64_t chance(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u ^ (b + 1) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 31)) * 0x94d049bb133111ebu;
  return (x ^ (x >> 29)) % 100;
}

static int burning(long x, long y) { return x >= 0 && y >= 0 && x < size && y < size && forest[y * size + x] == BURNING; }

/* The heat of a burning tree after `cost` small steps: 0 .. 30 per cent on top of the chance to spread. */
static uint64_t heat(long x, long y) {
  double h = 1 + 0.001 * (double)((x * 7 + y * 13) % 97);
  for (long i = 0; i < cost; i++) h = 0.999 * h + 0.001 * sqrt(h + 1);
  return (uint64_t)(h * 1000) % 31;
}

static int spread(void *user, uint64_t step, uint64_t first, uint64_t count, const void *tasks, void *results) {
  (void)user, (void)tasks;
  for (long y = (long)first; y < (long)(first + count); y++) {
    int64_t begin_ns = now_ns(), heats = 0;
    for (long x = 0; x < size; x++) {
      unsigned char cell = forest[y * size + x], *out = (unsigned char *)results + (y - (long)first) * size + x;
      uint64_t danger = 0;
      if (cell == TREE)
        for (int d = 0; d < 4; d++) {
          long nx = x + (d == 0) - (d == 1), ny = y + (d == 2) - (d == 3);
          if (burning(nx, ny)) danger += 40 + heat(nx, ny), heats++;
        }
      *out = cell == BURNING ? ASH : cell;
      if (danger && chance((uint64_t)(y * size + x), step) < danger) *out = BURNING;
    }
    pace(begin_ns, heats * pace_us * 1000);
  }
  return 0;
}

static int keep(void *user, uint64_t step, uint64_t first, uint64_t count, const void *results) {
  (void)user, (void)step;
  memcpy(next + first * (uint64_t)size, results, count * (uint64_t)size);
  return 0;
}

/* Cells of the step that are not as this process computes them. */
static long wrong_cells(uint64_t step) {
  long wrong = 0, pace = pace_us;
  pace_us = 0;
  spread(NULL, step, 0, (uint64_t)size, NULL, alone);
  pace_us = pace;
  for (long i = 0; i < size * size; i++) wrong += alone[i] != next[i];
  return wrong;
}

static int simulate(int rank, midrun_mw_t *mw) {
  size_t cells = (size_t)(size * size);
  for (size_t i = 0; i < cells; i++) forest[i] = chance(i, 1u << 30) < 85 ? TREE : EMPTY;
  forest[(size / 2) * size + size / 2] = BURNING;
  long wrong = 0;
  for (long s = 0; s < steps; s++) {
    MPI_Bcast(forest, (int)cells, MPI_UNSIGNED_CHAR, 0, MPI_COMM_WORLD);
    int code = exit_code("forest_fire", rank, midrun_mw_iterate(mw, (uint64_t)size));
    if (code) return code;
    if (rank != 0) continue;
    if (check) wrong += wrong_cells((uint64_t)s);
    memcpy(forest, next, cells);
    long burns = 0;
    for (size_t i = 0; i < cells; i++) burns += forest[i] == BURNING;
    char what[40];
    snprintf(what, sizeof what, "%ld trees burn", burns);
    tell(mw, what);
  }
  if (rank != 0) return 0;
  printf("checksum %016llx", (unsigned long long)checksum(forest, cells));
  if (check) printf(", wrong cells: %ld", wrong);
  printf("\n");
  return wrong != 0;
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const option_t table[] = {{"--size", &size, 0, 3, 30000}, {"--steps", &steps, 0, 1, 1000000}, {"--cost", &cost, 0, 0, 100000000}, {"--pace", &pace_us, 0, 0, 1000000}, {"--workers", &workers, 0, 0, 1000000},
                           {"--technique", 0, &technique, 0, 0}, {"--check", &check, 0, 1, 1}, {0}};
  int code = options(argc, argv, rank, table);
  midrun_mw_t *mw = NULL;
  if (!code) {
    midrun_mw_config_t config = {.struct_size = sizeof config, .result_bytes = (size_t)size, .compute = spread, .collect = keep, .technique = technique,
                                 .workers = (uint32_t)workers};
    forest = calloc((size_t)(size * size), 1), next = calloc((size_t)(size * size), 1);
    if (check && rank == 0) alone = calloc((size_t)(size * size), 1);
    code = exit_code("forest_fire", rank, midrun_mw_create(&mw, &config));
  }
  if (!code) code = simulate(rank, mw);
  if (mw) midrun_mw_destroy(&mw);
  free(forest), free(next), free(alone);
  MPI_Finalize();
  return code;
}
