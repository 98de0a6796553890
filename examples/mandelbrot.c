/* mandelbrot - draws the Mandelbrot set, one task per row, zooming in by a half each iteration; writes the last picture as PPM.
 *
 *     mpirun -n 9 mandelbrot --width 800 --height 600 --depth 1000 --zooms 4 --out mandelbrot.ppm
 */
#include "example.h"

static long width = 800, height = 600, depth = 1000, zooms = 4;
static const char *out = "mandelbrot.ppm", *technique;
static uint16_t *picture;

static int row(void *user, uint64_t zoom, uint64_t first, uint64_t count, const void *tasks, void *results) {
  (void)user, (void)tasks;
  double span = 3.0 / (double)(1ull << zoom) / (double)width;
  for (uint64_t y = first; y < first + count; y++)
    for (long x = 0; x < width; x++) {
      double cr = -0.743643 + (double)(x - width / 2) * span, ci = 0.131825 + ((double)y - (double)height / 2) * span, zr = 0, zi = 0;
      long n = 0;
      for (; n < depth && zr * zr + zi * zi < 4; n++) {
        double t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
      }
      ((uint16_t *)results)[(y - first) * (uint64_t)width + (uint64_t)x] = (uint16_t)n;
    }
  return 0;
}

static int keep(void *user, uint64_t zoom, uint64_t first, uint64_t count, const void *results) {
  (void)user, (void)zoom;
  memcpy(picture + first * (uint64_t)width, results, count * (uint64_t)width * sizeof *picture);
  return 0;
}

static int write_picture(void) {
  FILE *f = fopen(out, "wb");
  if (!f) return fprintf(stderr, "mandelbrot: %s cannot be written\n", out), 1;
  fprintf(f, "P6\n%ld %ld\n255\n", width, height);
  for (long i = 0; i < width * height; i++) {
    unsigned n = picture[i], inside = n == (unsigned)depth;
    unsigned char rgb[3] = {inside ? 0 : (unsigned char)(n * 5), inside ? 0 : (unsigned char)(n * 9), inside ? 0 : (unsigned char)(n * 17)};
    fwrite(rgb, 1, 3, f);
  }
  if (fclose(f)) return fprintf(stderr, "mandelbrot: %s cannot be written\n", out), 1;
  printf("wrote %s, checksum %016llx\n", out, (unsigned long long)checksum(picture, (size_t)(width * height) * sizeof *picture));
  return 0;
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const option_t table[] = {{"--width", &width, 0, 1, 100000}, {"--height", &height, 0, 1, 100000}, {"--depth", &depth, 0, 1, 65535},
                            {"--zooms", &zooms, 0, 1, 40}, {"--out", 0, &out, 0, 0}, {"--technique", 0, &technique, 0, 0}, {0}};
  int code = options(argc, argv, rank, table);
  midrun_mw_t *mw = NULL;
  if (!code) {
    midrun_mw_config_t config = {.struct_size = sizeof config, .result_bytes = (size_t)width * sizeof *picture, .compute = row,
                                 .collect = keep, .technique = technique};
    if (rank == 0) picture = calloc((size_t)(width * height), sizeof *picture);
    code = exit_code("mandelbrot", rank, midrun_mw_create(&mw, &config));
  }
  for (long zoom = 0; zoom < zooms && !code; zoom++) {
    code = exit_code("mandelbrot", rank, midrun_mw_iterate(mw, (uint64_t)height));
    if (rank == 0 && !code) tell(mw, "");
  }
  if (mw) midrun_mw_destroy(&mw);
  if (rank == 0 && !code) code = write_picture();
  free(picture);
  MPI_Finalize();
  return code;
}
