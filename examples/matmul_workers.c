/* matmul_workers - the product of two matrices by Master/Worker; each task is one row of A and gives one row of C.
 *
 *     mpirun -n 5 matmul_workers --size 300 --products 10 [--pace MICROSECONDS per row] [--technique NAME] [--check]
 * B goes to all ranks by MPI_Bcast, once per product; A's rows and C's pass through midrun. Entries are small whole numbers, so that
 * sums are exact and the same in any order. --check computes every product again on rank 0 and compares each entry.
 */
#include "example.h"

static long size = 300, products = 5, pace_us, workers, check;
static const char *technique;
static double *a, *b, *c;

/* A whole number from -9 to 9, the same for the same product, matrix and entry. */
static double entry(uint64_t product, uint64_t matrix, uint64_t at) {
  uint64_t x = (product * 2 + matrix) * 0x9e3779b97f4a7c15u + at * 0xbf58476d1ce4e5b9u + 1;
  x = (x ^ (x >> 31)) * 0x94d049bb133111ebu;
  return (double)((x >> 40) % 19) - 9;
}

static void row_of_product(const double *row, double *out) {
  memset(out, 0, (size_t)size * sizeof *out);
  for (long k = 0; k < size; k++)
    for (long j = 0; j < size; j++) out[j] += row[k] * b[k * size + j];
}

static int prepare(void *user, uint64_t product, uint64_t first, uint64_t count, void *tasks) {
  (void)user, (void)product;
  memcpy(tasks, a + first * (uint64_t)size, count * (uint64_t)size * sizeof *a);
  return 0;
}

static int compute(void *user, uint64_t product, uint64_t first, uint64_t count, const void *tasks, void *results) {
  (void)user, (void)product, (void)first;
  for (uint64_t i = 0; i < count; i++) {
    int64_t begin_ns = now_ns();
    row_of_product((const double *)tasks + i * (uint64_t)size, (double *)results + i * (uint64_t)size);
    pace(begin_ns, pace_us * 1000);
  }
  return 0;
}

static int collect(void *user, uint64_t product, uint64_t first, uint64_t count, const void *results) {
  (void)user, (void)product;
  memcpy(c + first * (uint64_t)size, results, count * (uint64_t)size * sizeof *c);
  return 0;
}

/* Entries of C that are not those of the product, on rank 0. */
static long wrong_entries(double *row) {
  long wrong = 0;
  for (long i = 0; i < size; i++) {
    row_of_product(a + i * size, row);
    for (long j = 0; j < size; j++) wrong += c[i * size + j] != row[j];
  }
  return wrong;
}

static int multiply(int rank, midrun_mw_t *mw, double *row) {
  long wrong = 0;
  uint64_t sum = 0;
  for (long p = 0; p < products; p++) {
    for (long i = 0; i < size * size && rank == 0; i++) {
      a[i] = entry((uint64_t)p, 0, (uint64_t)i), b[i] = entry((uint64_t)p, 1, (uint64_t)i);
      c[i] = 0.5; /* no sum of whole numbers: a row that does not come back is seen */
    }
    MPI_Bcast(b, (int)(size * size), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    int code = exit_code("matmul_workers", rank, midrun_mw_iterate(mw, (uint64_t)size));
    if (code) return code;
    if (rank != 0) continue;
    tell(mw, "");
    if (check) wrong += wrong_entries(row);
    sum = sum * 31 + checksum(c, (size_t)(size * size) * sizeof *c);
  }
  if (rank == 0) {
    printf("checksum %016llx", (unsigned long long)sum);
    if (check) printf(", wrong entries: %ld", wrong);
    putchar('\n');
  }
  return wrong != 0;
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const option_t table[] = {{"--size", &size, 0, 1, 20000}, {"--products", &products, 0, 1, 1000000}, {"--pace", &pace_us, 0, 0, 1000000},
                            {"--workers", &workers, 0, 0, 1000000}, {"--technique", 0, &technique, 0, 0}, {"--check", &check, 0, 1, 1}, {0}};
  int code = options(argc, argv, rank, table);
  midrun_mw_t *mw = NULL;
  double *row = NULL;
  if (!code) {
    size_t bytes = (size_t)size * sizeof *a;
    midrun_mw_config_t config = {.struct_size = sizeof config, .task_bytes = bytes, .result_bytes = bytes, .prepare = prepare, .compute = compute,
                                 .collect = collect, .technique = technique, .workers = (uint32_t)workers};
    a = malloc(bytes * (size_t)size), b = malloc(bytes * (size_t)size), c = malloc(bytes * (size_t)size), row = malloc(bytes);
    if (!a || !b || !c || !row) fprintf(stderr, "matmul_workers: there is no memory for three matrices\n"), MPI_Abort(MPI_COMM_WORLD, 1);
    code = exit_code("matmul_workers", rank, midrun_mw_create(&mw, &config));
  }
  if (!code) code = multiply(rank, mw, row);
  if (mw) midrun_mw_destroy(&mw);
  free(a), free(b), free(c), free(row);
  MPI_Finalize();
  return code;
}
