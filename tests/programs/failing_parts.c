/* A divide-and-conquer program, of which one function fails: divide, base, combine; divides into nothing; emits two results; has no base;
   or which asks for no result. */
#include <midrun.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *fails;

static int is(const char *what) { return !strcmp(fails, what); }

static int divide(void *user, const void *problem, size_t bytes, midrun_dc_out_t *parts) {
  (void)user, (void)problem;
  if (bytes <= 64) return MIDRUN_DC_BASE;
  if (is("nothing")) return 0;
  if (is("divide") && bytes <= 512) return 7;
  midrun_dc_emit(parts, bytes / 2);
  midrun_dc_emit(parts, bytes - bytes / 2);
  return 0;
}

static int base(void *user, const void *problem, size_t bytes, midrun_dc_out_t *result) {
  (void)user, (void)problem;
  if (is("base")) return 7;
  *(uint64_t *)midrun_dc_emit(result, sizeof(uint64_t)) = bytes;
  if (is("twice")) midrun_dc_emit(result, 8);
  return 0;
}

static int combine(void *user, const void *problem, size_t bytes, const midrun_dc_part_t *parts, uint32_t count, midrun_dc_out_t *result) {
  (void)user, (void)problem;
  if (is("combine") && bytes >= 4096) return 7;
  uint64_t *sum = midrun_dc_emit(result, sizeof *sum);
  for (uint32_t k = 0; k < count; k++) *sum += *(const uint64_t *)parts[k].data;
  return 0;
}

int main(int argc, char **argv) {
  static char problem[8192];
  const void *result = NULL;
  size_t bytes = 0;
  MPI_Init(&argc, &argv);
  fails = argc > 1 ? argv[1] : "";
  midrun_dc_t *dc = NULL;
  midrun_dc_config_t config = {.struct_size = sizeof config, .divide = divide, .base = is("missing") ? NULL : base, .combine = combine, .cutoff = 3};
  int status = midrun_dc_create(&dc, &config);
  if (status) printf("create %d\n", status);
  else {
    status = midrun_dc_solve(dc, problem, sizeof problem, is("unasked") ? NULL : &result, &bytes);
    printf("status %d\n", status);
    midrun_dc_destroy(&dc);
  }
  fflush(stdout);
  MPI_Finalize();
  return status ? 3 : 0;
}
