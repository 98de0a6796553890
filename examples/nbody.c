/* nbody - bodies that attract each other; each iteration is one time step, each task the force on one body.
 *
 *     mpirun -n 9 nbody --bodies 2000 --steps 20 [--pace MICROSECONDS per body] [--workers N to begin with] [--check]
 * The master sends all positions by MPI_Bcast, the forces come back through midrun, so the result is the same under every technique.
 * --check computes all forces of each step again on rank 0 and compares them, and says how far the sum of all forces is from zero.
 */
#include "example.h"
#include <math.h>

typedef struct { double x, y, z; } vec_t;

static long bodies = 1000, steps = 10, pace_us, workers, check;
static const char *technique;
static vec_t *at, *speed, *pull;
static const double SOFT = 1e-2, STEP = 1e-3;

static __attribute__((noinline)) vec_t pull_on(long i) {
  vec_t f = {0, 0, 0};
  for (long j = 0; j < bodies; j++) {
    double dx = at[j].x - at[i].x, dy = at[j].y - at[i].y, dz = at[j].z - at[i].z;
    double d2 = dx * dx + dy * dy + dz * dz + SOFT, k = 1 / ((double)bodies * d2 * sqrt(d2));
    f.x += k * dx, f.y += k * dy, f.z += k * dz;
  }
  return f;
}

static int force(void *user, uint64_t step, uint64_t first, uint64_t count, const void *tasks, void *results) {
  (void)user, (void)step, (void)tasks;
  for (uint64_t i = first; i < first + count; i++) {
    int64_t begin_ns = now_ns();
    ((vec_t *)results)[i - first] = pull_on((long)i);
    pace(begin_ns, pace_us * 1000);
  }
  return 0;
}

static int keep(void *user, uint64_t step, uint64_t first, uint64_t count, const void *results) {
  (void)user, (void)step;
  memcpy(pull + first, results, count * sizeof *pull);
  return 0;
}

static double energy(void) {
  double e = 0, m = 1 / (double)bodies;
  for (long i = 0; i < bodies; i++) {
    e += 0.5 * m * (speed[i].x * speed[i].x + speed[i].y * speed[i].y + speed[i].z * speed[i].z);
    for (long j = 0; j < i; j++) {
      double dx = at[j].x - at[i].x, dy = at[j].y - at[i].y, dz = at[j].z - at[i].z;
      e -= m * m / sqrt(dx * dx + dy * dy + dz * dz + SOFT);
    }
  }
  return e;
}

static double draw(void) {
  static uint64_t s = 42;
  s = s * 6364136223846793005u + 1442695040888963407u;
  return (double)(s >> 11) / 9007199254740992.0 - 0.5;
}

/* Forces that are not those that rank 0 computes, and how far all of them together are from zero, as each pull has its counterpart. */
static long wrong_forces(double *unbalanced) {
  vec_t sum = {0, 0, 0};
  long wrong = 0;
  for (long i = 0; i < bodies; i++) {
    vec_t f = pull_on(i);
    wrong += memcmp(&f, &pull[i], sizeof f) != 0;
    sum.x += pull[i].x, sum.y += pull[i].y, sum.z += pull[i].z;
  }
  *unbalanced = fmax(*unbalanced, hypot(hypot(sum.x, sum.y), sum.z));
  return wrong;
}

static int simulate(int rank, midrun_mw_t *mw) {
  double before = 0, unbalanced = 0;
  long wrong = 0;
  for (long i = 0; i < bodies && rank == 0; i++) at[i] = (vec_t){draw(), draw(), draw()}, speed[i] = (vec_t){draw() / 10, draw() / 10, draw() / 10};
  if (rank == 0) before = energy();
  int64_t begin_ns = now_ns();
  for (long s = 0; s < steps; s++) {
    MPI_Bcast(at, (int)(bodies * 3), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    int code = exit_code("nbody", rank, midrun_mw_iterate(mw, (uint64_t)bodies));
    if (code) return code;
    if (rank != 0) continue;
    tell(mw, "");
    if (check) wrong += wrong_forces(&unbalanced);
    for (long i = 0; i < bodies; i++) {
      speed[i].x += STEP * pull[i].x, speed[i].y += STEP * pull[i].y, speed[i].z += STEP * pull[i].z;
      at[i].x += STEP * speed[i].x, at[i].y += STEP * speed[i].y, at[i].z += STEP * speed[i].z;
    }
  }
  double total_s = (double)(now_ns() - begin_ns) * 1e-9;
  if (rank == 0) {
    printf("total %.4f s, energy drift %.3e, checksum %016llx", total_s, fabs(energy() / before - 1), (unsigned long long)checksum(at, (size_t)bodies * sizeof *at));
    if (check) printf(", wrong forces: %ld, sum of forces at most %.1e", wrong, unbalanced);
    putchar('\n');
  }
  return wrong != 0 || unbalanced > 1e-9;
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const option_t table[] = {{"--bodies", &bodies, 0, 2, 1000000}, {"--steps", &steps, 0, 1, 1000000}, {"--pace", &pace_us, 0, 0, 1000000}, {"--workers", &workers, 0, 0, 1000000}, {"--technique", 0, &technique, 0, 0}, {"--check", &check, 0, 1, 1}, {0}};
  int code = options(argc, argv, rank, table);
  midrun_mw_t *mw = NULL;
  if (!code) {
    midrun_mw_config_t config = {.struct_size = sizeof config, .result_bytes = sizeof(vec_t), .compute = force, .collect = keep, .technique = technique,
                                 .workers = (uint32_t)workers};
    at = calloc((size_t)bodies, sizeof *at), speed = calloc((size_t)bodies, sizeof *speed), pull = calloc((size_t)bodies, sizeof *pull);
    code = exit_code("nbody", rank, midrun_mw_create(&mw, &config));
  }
  if (!code) code = simulate(rank, mw);
  if (mw) midrun_mw_destroy(&mw);
  free(at), free(speed), free(pull);
  MPI_Finalize();
  return code;
}
