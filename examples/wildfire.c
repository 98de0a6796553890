/* wildfire - a fire on a map of hills, grass, brush and water, under wind: Rothermel's rate of spread, in ellipses.
 *
 *     mpirun -n 9 wildfire --size 1024 --hours 8 [--step MINUTES] [--wind KM/H] [--from DEGREES, where it blows from] [--moisture PER CENT]
 *         [--seed N] [--pace MICROSECONDS per burning cell] [--workers N to begin with] [--technique NAME] [--out FILE.ppm] [--check]
 * A cell is 30 m wide, so that the default map is 31 km. Each iteration is a part of a time step, each task a tile of 32 x 32 cells that the
 * fire has reached: a worker gets the times at which the tile's cells, and those around it, caught fire, and gives those of the cells
 * that they set on fire. Iterations go on until no tile changes another, and the next step begins. The rate of spread is that of Rothermel 1972; its
 * shape is the ellipse of fireLib (Bevins 1996): length to width by the wind and slope together, the fire in a focus.
 *
 * --check tests on rank 0 that each cell caught fire when the earliest of its 16 neighbours set it on fire, which only one set of times fulfils, and
 * that the rates of spread of short and of tall grass are those that Anderson 1982 prints.
 */
#include "example.h"
#include <math.h>

enum { TILE = 32, HALO = 2, SIDE = TILE + 2 * HALO, WAYS = 16 };

static const int WAY[WAYS][2] = {{0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, /* and the moves of a knight */
                                 {1, -2}, {2, -1}, {2, 1}, {1, 2}, {-1, 2}, {-2, 1}, {-2, -1}, {-1, -2}};
static const double CELL_M = 30, FOOT_M = 0.3048, FOREVER = INFINITY;

static long size = 1024, hours = 8, step_min = 30, wind_kmh = 5, from_deg = 240, moisture_pct = 6, seed = 1, pace_us, workers, check;
static const char *technique, *out;

/* ---- The map: the same on every rank, as a function of the cell ------------------------------------ */

static double chance(uint64_t salt, int64_t x, int64_t y) {
  uint64_t h = (uint64_t)seed * 0x9e3779b97f4a7c15u + salt * 0xd6e8feb86659fd93u;
  h = (h ^ (uint64_t)x) * 0xbf58476d1ce4e5b9u, h ^= h >> 29;
  h = (h ^ (uint64_t)y) * 0x94d049bb133111ebu, h ^= h >> 31;
  h *= 0x9e3779b97f4a7c15u;
  return (double)(h >> 11) / 9007199254740992.0;
}

/* Smooth noise from 0 to 1 with hills `wide` cells apart. */
static double noise(uint64_t salt, double x, double y, double wide) {
  double u = x / wide, v = y / wide, s = u - floor(u), t = v - floor(v);
  int64_t i = (int64_t)floor(u), j = (int64_t)floor(v);
  s = s * s * (3 - 2 * s), t = t * t * (3 - 2 * t);
  double above = chance(salt, i, j) * (1 - s) + chance(salt, i + 1, j) * s, below = chance(salt, i, j + 1) * (1 - s) + chance(salt, i + 1, j + 1) * s;
  return above * (1 - t) + below * t;
}

static double height_m(double x, double y) { return 900 * noise(1, x, y, 160) + 250 * noise(2, x, y, 45) + 60 * noise(3, x, y, 14); }

/* Fuel models of Anderson 1982 with one class of dead fuel (load lb/ft2, surface to volume 1/ft, depth ft, moisture of extinction), and a mixture. */
typedef struct {
  double load, surface, depth, extinction;
} fuel_t;
static const fuel_t SHORT_GRASS = {0.034, 3500, 1, 0.12}, TALL_GRASS = {0.138, 1500, 2.5, 0.25}, BRUSH = {0.08, 2000, 2, 0.20};

/* NULL: water and rock. */
static const fuel_t *fuel(long x, long y) {
  double wet = noise(4, (double)x, (double)y, 90) * 0.7 + noise(5, (double)x, (double)y, 20) * 0.3;
  return wet < 0.2 ? NULL : wet < 0.45 ? &SHORT_GRASS : wet < 0.7 ? &BRUSH : &TALL_GRASS;
}

/* ---- The rate of spread ---------------------------------------------------------------------------- */

/* Where the fire runs fastest, how fast, and the eccentricity of its ellipse. */
typedef struct {
  double m_per_min, x, y, eccentricity;
} spread_t;

/* For a wind and a slope that both point (x, y); the wind in ft/min, the slope as rise over run. Rothermel's units are feet, pounds, BTU and minutes. */
static spread_t rothermel(const fuel_t *f, double moisture, double wind_x, double wind_y, double slope_x, double slope_y) {
  const double density = 32, heat = 8000, mineral = 0.0555, mineral_damping = 0.174 * pow(0.01, -0.19);
  double bulk = f->load / f->depth, packing = bulk / density, best = 3.348 * pow(f->surface, -0.8189), ratio = packing / best;
  double a = 1 / (4.774 * pow(f->surface, 0.1) - 7.27), power = pow(f->surface, 1.5), most = power / (495 + 0.0594 * power);
  double velocity = most * pow(ratio, a) * exp(a * (1 - ratio)), dry = fmin(moisture / f->extinction, 1);
  double damping = 1 - 2.59 * dry + 5.11 * dry * dry - 3.52 * dry * dry * dry;
  double intensity = velocity * f->load / (1 + mineral) * heat * damping * mineral_damping;
  double flux = exp((0.792 + 0.681 * sqrt(f->surface)) * (packing + 0.1)) / (192 + 0.2595 * f->surface);
  double still = intensity * flux / (bulk * exp(-138 / f->surface) * (250 + 1116 * moisture));
  double c = 7.47 * exp(-0.133 * pow(f->surface, 0.55)), b = 0.02526 * pow(f->surface, 0.54), e = 0.715 * exp(-3.59e-4 * f->surface);
  double blows = hypot(wind_x, wind_y), rises = hypot(slope_x, slope_y);
  double by_wind = blows > 0 ? c * pow(blows, b) * pow(ratio, -e) / blows : 0, by_slope = 5.275 * pow(packing, -0.3) * rises;
  double x = by_wind * wind_x + by_slope * slope_x, y = by_wind * wind_y + by_slope * slope_y, faster = hypot(x, y);
  double effective = pow(faster * pow(ratio, e) / c, 1 / b), long_to_wide = 1 + 0.002840909 * effective;
  spread_t s = {still * (1 + faster) * FOOT_M, 0, 0, sqrt(long_to_wide * long_to_wide - 1) / long_to_wide};
  if (faster > 0) s.x = x / faster, s.y = y / faster;
  return s;
}

/* Minutes that a burning cell needs to set each neighbour on fire. */
static __attribute__((noinline)) void minutes_to_neighbours(long x, long y, double minutes[WAYS]) {
  const fuel_t *f = fuel(x, y);
  double gust = 0.7 + 0.6 * noise(6, (double)x, (double)y, 60), blow = gust * (double)wind_kmh * 1000 / 60 / FOOT_M, to = ((double)from_deg + 180) * M_PI / 180;
  double slope_x = (height_m((double)x + 1, (double)y) - height_m((double)x - 1, (double)y)) / (2 * CELL_M);
  double slope_y = (height_m((double)x, (double)y + 1) - height_m((double)x, (double)y - 1)) / (2 * CELL_M);
  spread_t s = {0};
  if (f) s = rothermel(f, (double)moisture_pct / 100, blow * sin(to), -blow * cos(to), slope_x, slope_y); /* y points south */
  for (int k = 0; k < WAYS; k++) {
    double far = hypot(WAY[k][0], WAY[k][1]), along = (WAY[k][0] * s.x + WAY[k][1] * s.y) / far;
    double speed = s.m_per_min * (1 - s.eccentricity) / (1 - s.eccentricity * along);
    int burns = x + WAY[k][0] >= 0 && y + WAY[k][1] >= 0 && x + WAY[k][0] < size && y + WAY[k][1] < size && fuel(x + WAY[k][0], y + WAY[k][1]);
    minutes[k] = burns && speed > 0 ? far * CELL_M / speed : FOREVER;
  }
}

/* ---- Worker: the fire in a tile -------------------------------------------------------------------- */

typedef struct {
  int64_t x, y; /* of the tile's first cell */
  double begin, end; /* minutes: of the step */
  double at[SIDE * SIDE]; /* when each cell catches fire: the tile's, and those around it */
} tile_t;

/* Cells that catch fire in this step set others on fire, the earliest first. */
static int burn(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *tasks, void *results) {
  (void)user, (void)iteration, (void)first;
  static tile_t t;
  static char done[SIDE * SIDE];
  for (uint64_t k = 0; k < count; k++) {
    int64_t begin_ns = now_ns();
    long burning = 0;
    memcpy(&t, (const char *)tasks + k * sizeof t, sizeof t);
    memset(done, 0, sizeof done);
    for (;; burning++) {
      int next = -1;
      for (int c = 0; c < SIDE * SIDE; c++)
        if (!done[c] && t.at[c] >= t.begin && t.at[c] < t.end && (next < 0 || t.at[c] < t.at[next])) next = c;
      if (next < 0) break;
      int x = next % SIDE, y = next / SIDE;
      double minutes[WAYS];
      minutes_to_neighbours(t.x - HALO + x, t.y - HALO + y, minutes);
      for (int way = 0; way < WAYS; way++) {
        int to_x = x + WAY[way][0], to_y = y + WAY[way][1], own = to_x >= HALO && to_y >= HALO && to_x < HALO + TILE && to_y < HALO + TILE;
        if (own) t.at[to_y * SIDE + to_x] = fmin(t.at[to_y * SIDE + to_x], t.at[next] + minutes[way]);
      }
      done[next] = 1;
    }
    for (int y = 0; y < TILE; y++) memcpy((double *)results + (k * TILE + (uint64_t)y) * TILE, t.at + (y + HALO) * SIDE + HALO, TILE * sizeof *t.at);
    pace(begin_ns, burning * pace_us * 1000);
  }
  return 0;
}

/* ---- Master: the map ------------------------------------------------------------------------------- */

static long tiles; /* on a side */
static double *at, *burnt, step_begin, step_end; /* when each cell catches fire; results of the iteration; minutes */
static long *listed; /* the iteration's tiles */
static char *dirty;

static double when(long x, long y) { return x >= 0 && y >= 0 && x < size && y < size ? at[y * size + x] : FOREVER; }

static int prepare(void *user, uint64_t iteration, uint64_t first, uint64_t count, void *tasks) {
  (void)user, (void)iteration;
  for (uint64_t k = 0; k < count; k++) {
    long number = listed[first + k];
    tile_t *t = (tile_t *)tasks + k;
    t->x = number % tiles * TILE, t->y = number / tiles * TILE, t->begin = step_begin, t->end = step_end;
    for (long y = 0; y < SIDE; y++)
      for (long x = 0; x < SIDE; x++) t->at[y * SIDE + x] = when((long)t->x - HALO + x, (long)t->y - HALO + y);
  }
  return 0;
}

static int collect(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *results) {
  (void)user, (void)iteration;
  memcpy(burnt + first * TILE * TILE, results, count * TILE * TILE * sizeof *burnt);
  return 0;
}

/* Cell (x, y) burns in this step: the tiles that it is in, or beside, are to be computed; `but` already knows it. */
static void touch(long x, long y, long but) {
  for (long v = (y - HALO) / TILE; v <= (y + HALO) / TILE && v < tiles; v++)
    for (long u = (x - HALO) / TILE; u <= (x + HALO) / TILE && u < tiles; u++)
      if (v * tiles + u != but) dirty[v * tiles + u] = 1;
}

static uint64_t list_tiles(void) {
  uint64_t count = 0;
  for (long k = 0; k < tiles * tiles; k++)
    if (dirty[k]) listed[count++] = k;
  memset(dirty, 0, (size_t)(tiles * tiles));
  return count;
}

static void take(uint64_t count) {
  for (uint64_t k = 0; k < count; k++)
    for (long c = 0; c < TILE * TILE; c++) {
      long x = listed[k] % tiles * TILE + c % TILE, y = listed[k] / tiles * TILE + c / TILE;
      double minutes = burnt[k * TILE * TILE + (uint64_t)c];
      if (x >= size || y >= size || minutes >= at[y * size + x]) continue;
      at[y * size + x] = minutes;
      if (minutes < step_end) touch(x, y, listed[k]);
    }
}

static long burning_cells(double begin, double end, int mark) {
  long cells = 0;
  for (long y = 0; y < size; y++)
    for (long x = 0; x < size; x++)
      if (when(x, y) >= begin && when(x, y) < end) {
        cells++;
        if (mark) touch(x, y, -1);
      }
  return cells;
}

/* The fire starts at the burnable cell that is nearest to the middle, row by row. */
static void ignite(void) {
  for (long k = 0; k < size * size; k++) at[k] = FOREVER;
  long middle = size / 2 * size + size / 2, cell = middle;
  while (cell < size * size && !fuel(cell % size, cell / size)) cell++;
  at[cell < size * size ? cell : middle] = 0;
}

/* Cells whose time is not that at which the earliest of their neighbours sets them on fire. */
static long wrong_cells(double end) {
  double *expected = malloc((size_t)(size * size) * sizeof *expected), minutes[WAYS];
  long wrong = 0;
  if (!expected) return -1;
  for (long k = 0; k < size * size; k++) expected[k] = at[k] == 0 ? 0 : FOREVER;
  for (long y = 0; y < size; y++)
    for (long x = 0; x < size; x++) {
      if (!(when(x, y) < end)) continue;
      minutes_to_neighbours(x, y, minutes);
      for (int k = 0; k < WAYS; k++) {
        if (minutes[k] == FOREVER) continue;
        double *to = &expected[(y + WAY[k][1]) * size + x + WAY[k][0]];
        *to = fmin(*to, when(x, y) + minutes[k]);
      }
    }
  for (long k = 0; k < size * size; k++) wrong += expected[k] != at[k];
  free(expected);
  return wrong;
}

/* Anderson 1982: chains (66 ft) an hour at 5 miles an hour and 8 % of moisture. */
static int is_wrong_rate(const fuel_t *f, double chains_per_h) {
  double got = rothermel(f, 0.08, 440, 0, 0, 0).m_per_min * 60 / FOOT_M / 66;
  printf("rate of spread %.1f chains/h, printed %.0f; ", got, chains_per_h);
  return fabs(got / chains_per_h - 1) > 0.02;
}

/* The map as a picture: how early each cell burnt, as red; water and rock blue. */
static int picture(double end) {
  FILE *file = fopen(out, "wb");
  if (!file || fprintf(file, "P6\n%ld %ld\n255\n", size, size) < 0) return perror(out), 1;
  for (long k = 0; k < size * size; k++) {
    const fuel_t *f = fuel(k % size, k / size);
    int shade = 90 + (int)(height_m((double)(k % size), (double)(k / size)) / 8);
    unsigned char rgb[3] = {(unsigned char)(f ? shade * 3 / 5 : 60), (unsigned char)(f ? shade : 100), (unsigned char)(f ? shade / 2 : 200)};
    if (at[k] < end) rgb[0] = 255, rgb[1] = (unsigned char)(at[k] / end * 220), rgb[2] = 0;
    fwrite(rgb, 1, 3, file);
  }
  return fclose(file) != 0;
}

static int simulate(int rank, midrun_mw_t *mw) {
  if (rank == 0) ignite();
  double end = (double)hours * 60;
  for (long s = 0; s * step_min < hours * 60; s++) {
    step_begin = (double)(s * step_min), step_end = fmin(step_begin + (double)step_min, end);
    if (rank == 0) burning_cells(step_begin, step_end, 1);
    for (;;) {
      uint64_t count = rank == 0 ? list_tiles() : 0;
      MPI_Bcast(&count, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
      if (!count) break;
      int code = exit_code("wildfire", rank, midrun_mw_iterate(mw, count));
      if (code) return code;
      if (rank != 0) continue;
      take(count);
      char what[60];
      snprintf(what, sizeof what, "%.0f min, %llu tiles", step_end, (unsigned long long)count);
      tell(mw, what);
    }
  }
  if (rank != 0) return 0;
  long wrong = check ? wrong_cells(end) : 0;
  if (check) wrong += is_wrong_rate(&SHORT_GRASS, 78) + is_wrong_rate(&TALL_GRASS, 104);
  printf("%.1f km2 of %.1f burnt, checksum %016llx", (double)burning_cells(0, end, 0) * CELL_M * CELL_M / 1e6, (double)(size * size) * CELL_M * CELL_M / 1e6,
         (unsigned long long)checksum(at, (size_t)(size * size) * sizeof *at));
  if (check) printf(", wrong cells: %ld", wrong);
  putchar('\n');
  return wrong != 0 || (out && picture(end));
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const option_t table[] = {{"--size", &size, 0, 8, 30000}, {"--hours", &hours, 0, 1, 10000}, {"--step", &step_min, 0, 1, 10000}, {"--wind", &wind_kmh, 0, 0, 60},
                            {"--from", &from_deg, 0, 0, 360}, {"--moisture", &moisture_pct, 0, 1, 40}, {"--seed", &seed, 0, 0, 1000000}, {"--pace", &pace_us, 0, 0, 1000000},
                            {"--workers", &workers, 0, 0, 1000000}, {"--technique", 0, &technique, 0, 0}, {"--out", 0, &out, 0, 0}, {"--check", &check, 0, 1, 1}, {0}};
  int code = options(argc, argv, rank, table);
  midrun_mw_t *mw = NULL;
  if (!code) {
    tiles = (size + TILE - 1) / TILE;
    midrun_mw_config_t config = {.struct_size = sizeof config, .task_bytes = sizeof(tile_t), .result_bytes = TILE * TILE * sizeof(double), .prepare = prepare,
                                 .compute = burn, .collect = collect, .technique = technique, .workers = (uint32_t)workers};
    size_t most = (size_t)(tiles * tiles);
    if (rank == 0) {
      at = malloc((size_t)(size * size) * sizeof *at), burnt = malloc(most * TILE * TILE * sizeof *burnt), listed = malloc(most * sizeof *listed), dirty = calloc(most, 1);
      if (!at || !burnt || !listed || !dirty) fprintf(stderr, "wildfire: there is no memory for a map of %ld x %ld cells\n", size, size), MPI_Abort(MPI_COMM_WORLD, 1);
    }
    code = exit_code("wildfire", rank, midrun_mw_create(&mw, &config));
  }
  if (!code) code = simulate(rank, mw);
  if (mw) midrun_mw_destroy(&mw);
  free(at), free(burnt), free(listed), free(dirty);
  MPI_Finalize();
  return code;
}
