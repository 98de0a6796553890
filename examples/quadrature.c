/* quadrature - adaptive quadrature by divide and conquer: integrates 1/sqrt(x) + sin(40 x)^2 from --from millionths to 1.
 *
 *     mpirun -n 9 quadrature --solves 20 --digits 9 --pace 50 [--from 100] [--cutoff DEPTH] [--workers N] [--check]
 * Simpson's rule on an interval is compared with the rule on its halves; where they differ by more than the interval's share of the error,
 * the halves are problems of their own. The interval near 0 is divided far deeper than the others: the closer --from is to it, the more
 * unequal are the parts.
 * --pace lets each evaluation of the integrand take that many microseconds. --check compares with the integral's exact value.
 */
#include "example.h"
#include <math.h>

static long solves = 10, digits = 8, from_ppm = 100, pace_us, cutoff, workers, check;
static const char *technique;

typedef struct {
  double from, to, at_from, at_middle, at_to, error;
} interval_t;

static double integrand(double x) { return 1 / sqrt(x) + pow(sin(40 * x), 2); }

static double exact(double from, double to) {
  return 2 * (sqrt(to) - sqrt(from)) + (to - from) / 2 - (sin(80 * to) - sin(80 * from)) / 160;
}

static double simpson(const interval_t *i) { return (i->to - i->from) / 6 * (i->at_from + 4 * i->at_middle + i->at_to); }

/* The halves of an interval: two further evaluations. */
static void halve(const interval_t *i, interval_t half[2]) {
  int64_t begin_ns = now_ns();
  double middle = (i->from + i->to) / 2;
  half[0] = (interval_t){i->from, middle, i->at_from, integrand((i->from + middle) / 2), i->at_middle, i->error / 2};
  half[1] = (interval_t){middle, i->to, i->at_middle, integrand((middle + i->to) / 2), i->at_to, i->error / 2};
  pace(begin_ns, 2 * pace_us * 1000);
}

static int is_exact(const interval_t *i, const interval_t half[2]) {
  return fabs(simpson(&half[0]) + simpson(&half[1]) - simpson(i)) <= 15 * i->error || i->to - i->from < 1e-12;
}

/* A problem is an interval and its halves, so that no evaluation is made twice. */
typedef struct {
  interval_t whole, half[2];
} problem_t;

static int divide(void *user, const void *data, size_t bytes, midrun_dc_out_t *parts) {
  (void)user, (void)bytes;
  const problem_t *p = data;
  if (is_exact(&p->whole, p->half)) return MIDRUN_DC_BASE;
  for (int k = 0; k < 2; k++) {
    problem_t *part = midrun_dc_emit(parts, sizeof *part);
    if (!part) return -1;
    part->whole = p->half[k];
    halve(&part->whole, part->half);
  }
  return 0;
}

static int base(void *user, const void *data, size_t bytes, midrun_dc_out_t *result) {
  (void)user, (void)bytes;
  const problem_t *p = data;
  double *sum = midrun_dc_emit(result, sizeof *sum);
  if (!sum) return -1;
  double halves = simpson(&p->half[0]) + simpson(&p->half[1]);
  *sum = halves + (halves - simpson(&p->whole)) / 15;
  return 0;
}

static int combine(void *user, const void *data, size_t bytes, const midrun_dc_part_t *parts, uint32_t count, midrun_dc_out_t *result) {
  (void)user, (void)data, (void)bytes;
  double *sum = midrun_dc_emit(result, sizeof *sum);
  if (!sum) return -1;
  for (uint32_t k = 0; k < count; k++) *sum += *(const double *)parts[k].data;
  return 0;
}

static int integrate(int rank, midrun_dc_t *dc) {
  const double from = (double)from_ppm * 1e-6, to = 1;
  double worst = 0, integral = 0;
  problem_t p = {.whole = {from, to, integrand(from), integrand((from + to) / 2), integrand(to), pow(10, -(double)digits)}};
  halve(&p.whole, p.half);
  for (long k = 0; k < solves; k++) {
    const void *result = NULL;
    size_t bytes = 0;
    int code = exit_code("quadrature", rank, midrun_dc_solve(dc, &p, sizeof p, &result, &bytes));
    if (code) return code;
    if (rank != 0) continue;
    integral = *(const double *)result;
    worst = fmax(worst, fabs(integral - exact(from, to)));
    tell_solve(dc);
  }
  if (rank == 0) {
    printf("integral %.12f", integral);
    if (check) printf(", largest error %.1e", worst);
    putchar('\n');
  }
  return check && worst > 100 * pow(10, -(double)digits);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const option_t table[] = {{"--solves", &solves, 0, 1, 1000000}, {"--digits", &digits, 0, 1, 14}, {"--from", &from_ppm, 0, 1, 999999}, {"--pace", &pace_us, 0, 0, 1000000},
                            {"--cutoff", &cutoff, 0, 0, 30}, {"--workers", &workers, 0, 0, 1000000}, {"--technique", 0, &technique, 0, 0}, {"--check", &check, 0, 1, 1}, {0}};
  int code = options(argc, argv, rank, table);
  midrun_dc_t *dc = NULL;
  if (!code) {
    midrun_dc_config_t config = {.struct_size = sizeof config, .divide = divide, .base = base, .combine = combine, .cutoff = (uint32_t)cutoff,
                                 .workers = (uint32_t)workers, .technique = technique};
    code = exit_code("quadrature", rank, midrun_dc_create(&dc, &config));
  }
  if (!code) code = integrate(rank, dc);
  if (dc) midrun_dc_destroy(&dc);
  MPI_Finalize();
  return code;
}
