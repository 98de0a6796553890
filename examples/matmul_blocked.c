/* matmul_blocked - C = A B, cut into blocks whose size midrun may search.
 *
 *     mpirun -n 4 matmul_blocked --size 512 --iterations 100 --block 8
 *     midrun run --search 'block=8..512 step 8' -- mpirun -n 4 matmul_blocked
 *
 * Each rank computes its rows of C in each iteration and exposes its own `block`. Small blocks have loop overhead; large blocks
 * need parts of A, B and C that do not fit into the cache. The program checks the sum of C.
 */
#include "example.h"
#include <math.h>

static long size = 384, iterations = 60, block = 8;
static int tile; /* the tuning point `block` */

/* Rows first to last - 1 of C. */
static void multiply(const double *a, const double *b, double *c, long first, long last) {
  memset(c, 0, (size_t)((last - first) * size) * sizeof *c);
  for (long kk = 0; kk < size; kk += tile)
    for (long jj = 0; jj < size; jj += tile)
      for (long i = first; i < last; i++)
        for (long k = kk; k < kk + tile && k < size; k++) {
          double x = a[i * size + k];
          for (long j = jj; j < jj + tile && j < size; j++) c[(i - first) * size + j] += x * b[k * size + j];
        }
}

/* The sum of all elements, from the sums of A's columns and B's rows. */
static double expected(const double *a, const double *b) {
  double sum = 0;
  for (long k = 0; k < size; k++) {
    double column = 0, row = 0;
    for (long i = 0; i < size; i++) column += a[i * size + k], row += b[k * size + i];
    sum += column * row;
  }
  return sum;
}

static int run(int rank, int ranks) {
  size_t all = (size_t)(size * size);
  long first = size * rank / ranks, last = size * (rank + 1) / ranks;
  double *a = malloc(all * sizeof *a), *b = malloc(all * sizeof *b), *c = malloc((size_t)((last - first) * size + 1) * sizeof *c);
  int wrong = !a || !b || !c;
  if (wrong) fprintf(stderr, "matmul_blocked: no memory for %ld x %ld\n", size, size);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  for (size_t i = 0; i < all && !wrong; i++) a[i] = (double)(i * 2654435761u % 1000) / 1000, b[i] = (double)(i * 40503u % 1000) / 1000;
  tile = (int)block;
  midrun_expose_int("block", &tile, 1, (int)size);
  double begin = MPI_Wtime(), want = wrong ? 0 : expected(a, b);
  for (long it = 0; it < iterations && !wrong; it++) {
    /* A safe point of each rank; rank 0 marks begin and end of an iteration. */
    if (rank == 0) midrun_iteration_begin((uint64_t)size, (uint32_t)ranks);
    else midrun_safe_point();
    midrun_work_begin((uint64_t)first, (uint64_t)(last - first));
    multiply(a, b, c, first, last);
    midrun_work_end();
    double sum = 0;
    for (long i = 0; i < (last - first) * size; i++) sum += c[i];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) midrun_iteration_end();
    wrong = fabs(sum - want) > 1e-9 * want;
    if (rank == 0) printf("iteration %ld: %.6f s, block %d\n", it, MPI_Wtime() - begin, tile), begin = MPI_Wtime();
  }
  if (rank == 0) puts(wrong ? "the product is wrong" : "the product is right");
  free(a), free(b), free(c);
  return wrong;
}

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const option_t table[] = {{"--size", &size, 0, 1, 20000}, {"--iterations", &iterations, 0, 0, 1000000}, {"--block", &block, 0, 1, 20000}, {0}};
  int code = options(argc, argv, rank, table);
  if (!code && block > size) block = size;
  if (!code) code = run(rank, ranks);
  MPI_Finalize();
  return code;
}
