/* fft_pipeline - removes hum and noise from two tones, block by block: window, transform, filter, transform back, overlap and add.
 *
 * Blocks overlap by half, and the window's two halves add up to one, so an unchanged spectrum gives the signal back. The last stage
 * keeps the half of a block to which the next block adds: it has state, and receives the blocks in order. Needs FFTW 3.
 * --help lists the options.
 */
#include "pipeline.h"
#include <fftw3.h>
#include <limits.h>
#include <math.h>

/* Frequencies as shares of the sample rate, amplitudes, and the pass band of the filter. */
static const double LOW = 0.011, HIGH = 0.037, HUM = 0.21, LOW_AMPLITUDE = 1, HIGH_AMPLITUDE = 0.5, HUM_AMPLITUDE = 1;
static const double NOISE = 1;       /* uniform from -NOISE to NOISE, so its variance is NOISE * NOISE / 3 */
static const double PASS = 0.1;      /* higher frequencies are cut off */
static const double THRESHOLD = 3;   /* the filter cuts frequencies weaker than this many times the noise */
static const double GAIN_DB = 10;    /* expected reduction of the noise */
static const double TOLERANCE = 1e-9; /* between FFTW and the defining sum */

static struct {
  long blocks, samples, seed, runs;
  int check, json, rank;
  const char *pattern;
  double *output; /* rank 0: half a block for each input */
  uint64_t disordered, next;
} g = {.blocks = 200, .samples = 1024, .seed = 1, .runs = 1};

static size_t half(void) { return (size_t)g.samples / 2; }
static double turn(double turns) { return 2 * M_PI * (turns - floor(turns)); }

/* The expected output at sample n. */
static double tones(uint64_t n) { return LOW_AMPLITUDE * sin(turn(LOW * (double)n)) + HIGH_AMPLITUDE * sin(turn(HIGH * (double)n)); }

/* The input. */
static double recorded(uint64_t n) {
  double chance = (double)(mix(mix((uint64_t)g.seed) ^ n) >> 11) / 9007199254740992.0;
  return tones(n) + HUM_AMPLITUDE * sin(turn(HUM * (double)n)) + NOISE * (2 * chance - 1);
}

/* Block k is samples k * half .. k * half + samples. */
static int source(void *user, uint64_t input, midrun_pipe_out_t *out) {
  (void)user;
  if (input == (uint64_t)g.blocks) return MIDRUN_PIPE_END;
  double *block = room(out, (size_t)g.samples * sizeof *block);
  if (!block) return 3;
  for (size_t i = 0; i < (size_t)g.samples; i++) block[i] = recorded(input * half() + i);
  return 0;
}

/* ---- The five stages --------------------------------------------------------------------------- */

/* Hann's window. */
static int window(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  (void)user, (void)input;
  const double *in = data;
  double *block = room(out, bytes);
  if (!block) return 3;
  for (size_t i = 0; i < (size_t)g.samples; i++) block[i] = in[i] * (0.5 - 0.5 * cos(2 * M_PI * (double)i / (double)g.samples));
  return 0;
}

/* An FFTW plan belongs to its arrays, which should be aligned: each rank has two arrays and two plans. */
static struct {
  double *block;
  fftw_complex *spectrum;
  fftw_plan forward, inverse;
} fft;

static size_t spectrum_bytes(void) { return (half() + 1) * sizeof *fft.spectrum; }

static int is_planned(void) {
  if (fft.block) return fft.forward && fft.inverse;
  fft.block = fftw_alloc_real((size_t)g.samples);
  fft.spectrum = fftw_alloc_complex(half() + 1);
  if (!fft.block || !fft.spectrum) return 0;
  fft.forward = fftw_plan_dft_r2c_1d((int)g.samples, fft.block, fft.spectrum, FFTW_ESTIMATE);
  fft.inverse = fftw_plan_dft_c2r_1d((int)g.samples, fft.spectrum, fft.block, FFTW_ESTIMATE);
  return fft.forward && fft.inverse;
}

static int forward(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  (void)user, (void)input;
  void *spectrum = room(out, spectrum_bytes());
  if (!spectrum || !is_planned()) return 3;
  memcpy(fft.block, data, bytes);
  fftw_execute(fft.forward);
  memcpy(spectrum, fft.spectrum, spectrum_bytes());
  return 0;
}

/* Removes high frequencies, and those no stronger than noise. The window leaves 3/8 of the noise's power. */
static int filter(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  (void)user, (void)input;
  const fftw_complex *in = data;
  fftw_complex *spectrum = room(out, bytes);
  if (!spectrum) return 3;
  double noise = sqrt(NOISE * NOISE / 3 * 3 / 8 * (double)g.samples);
  for (size_t k = 1; k <= half() && (double)k < PASS * (double)g.samples; k++)
    if (hypot(in[k][0], in[k][1]) > THRESHOLD * noise) memcpy(spectrum[k], in[k], sizeof in[k]);
  return 0;
}

static int inverse(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  (void)user, (void)input;
  double *block = room(out, (size_t)g.samples * sizeof *block);
  if (!block || !is_planned()) return 3;
  memcpy(fft.spectrum, data, bytes);
  fftw_execute(fft.inverse);
  for (size_t i = 0; i < (size_t)g.samples; i++) block[i] = fft.block[i] / (double)g.samples; /* FFTW does not normalize */
  return 0;
}

/* A block's first half and the last block's second half are finished samples. */
static int overlap_add(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  (void)user;
  static double *tail; /* the state */
  const double *block = data;
  double *finished = room(out, bytes / 2);
  if (!tail) tail = malloc(bytes / 2);
  if (!finished || !tail) return 3;
  if (input == 0) memset(tail, 0, bytes / 2); /* a new stream */
  for (size_t i = 0; i < half(); i++) finished[i] = tail[i] + block[i];
  memcpy(tail, block + half(), bytes / 2);
  return 0;
}

static const midrun_pipe_stage_t STAGES[] = {
    {.name = "window", .run = window}, {.name = "forward", .run = forward}, {.name = "filter", .run = filter}, {.name = "inverse", .run = inverse},
    {.name = "overlap-add", .run = overlap_add, .flags = MIDRUN_PIPE_STATEFUL}};

/* ---- Rank 0: is it right? ------------------------------------------------------------------------ */

static int sink(void *user, uint64_t input, const void *data, size_t bytes) {
  (void)user;
  g.disordered += input != g.next++;
  memcpy(g.output + input * half(), data, bytes);
  return 0;
}

/* The transforms as their defining sums: much slower, and independent of FFTW. */
static int forward_by_sum(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  (void)user, (void)input, (void)bytes;
  const double *in = data;
  fftw_complex *spectrum = room(out, spectrum_bytes());
  for (uint64_t k = 0; spectrum && k <= half(); k++)
    for (uint64_t i = 0; i < (uint64_t)g.samples; i++) {
      double angle = 2 * M_PI * (double)(k * i % (uint64_t)g.samples) / (double)g.samples;
      spectrum[k][0] += in[i] * cos(angle), spectrum[k][1] -= in[i] * sin(angle);
    }
  return spectrum ? 0 : 3;
}

static int inverse_by_sum(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  (void)user, (void)input, (void)bytes;
  const fftw_complex *in = data;
  double *block = room(out, (size_t)g.samples * sizeof *block);
  for (uint64_t k = 0; block && k <= half(); k++) {
    if (in[k][0] == 0 && in[k][1] == 0) continue;
    double share = (k == 0 || k == half() ? 1.0 : 2.0) / (double)g.samples; /* its mirror image is not stored */
    for (uint64_t i = 0; i < (uint64_t)g.samples; i++) {
      double angle = 2 * M_PI * (double)(k * i % (uint64_t)g.samples) / (double)g.samples;
      block[i] += share * (in[k][0] * cos(angle) - in[k][1] * sin(angle));
    }
  }
  return block ? 0 : 3;
}

/* Counts half blocks that differ from the sums, which include the overlaps. */
static uint64_t wrong_blocks(const midrun_pipe_config_t *config) {
  midrun_pipe_stage_t by_sum[] = {STAGES[0], {.name = "forward", .run = forward_by_sum}, STAGES[2], {.name = "inverse", .run = inverse_by_sum}};
  midrun_pipe_config_t reference = *config;
  reference.stages = by_sum, reference.stage_count = 4;
  double *tail = calloc(half(), sizeof *tail);
  uint64_t wrong = 0;
  for (uint64_t k = 0; k < (uint64_t)g.blocks; k++) {
    const double *block = in_sequence(&reference, k).data, *got = g.output + k * half();
    size_t i = 0;
    while (tail && block && i < half() && fabs(got[i] - tail[i] - block[i]) < TOLERANCE) i++;
    wrong += i < half();
    if (tail && block) memcpy(tail, block + half(), half() * sizeof *tail);
  }
  free(tail);
  return wrong;
}

static double decibel(double signal, double noise) { return 10 * log10(signal / noise); }

/* The power of the tones over that of all else, before and after. The first half block has no predecessor to add to. */
static int judge(const midrun_pipe_config_t *config, figure_t *more) {
  double signal = 0, before = 0, after = 0;
  for (uint64_t n = half(); n < (uint64_t)g.blocks * half(); n++) {
    double clean = tones(n);
    signal += clean * clean, before += pow(recorded(n) - clean, 2), after += pow(g.output[n] - clean, 2);
  }
  uint64_t wrong = g.disordered + (g.next != (uint64_t)g.blocks) + (g.check ? wrong_blocks(config) : 0);
  more[0] = (figure_t){"snr_before_db", decibel(signal, before)};
  more[1] = (figure_t){"snr_after_db", decibel(signal, after)};
  if (g.check) more[2] = (figure_t){"wrong", (double)wrong};
  g.next = g.disordered = 0;
  memset(g.output, 0, (size_t)g.blocks * half() * sizeof *g.output);
  return wrong == 0 && more[1].value >= more[0].value + GAIN_DB;
}

static const char HELP[] =
    "mpirun -n RANKS fft_pipeline [--blocks N] [--samples N] [--seed N] [--pattern PATTERN] [--runs N] [--check] [--json]\n"
    "--samples: of a block, an even number. --check computes all blocks again on rank 0, without FFTW.\n";

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  const option_t table[] = {{.name = "blocks", .number = &g.blocks, .minimum = 2, .maximum = 1000000},
                            {.name = "samples", .number = &g.samples, .minimum = 256, .maximum = 1 << 20},
                            {.name = "seed", .number = &g.seed, .maximum = INT_MAX},
                            {.name = "runs", .number = &g.runs, .minimum = 1, .maximum = 1000000},
                            {.name = "pattern", .text = &g.pattern}, {.name = "check", .on = &g.check},
                            {.name = "json", .on = &g.json}, {0}};
  int code = options(argc, argv, "fft_pipeline", g.rank, HELP, table);
  if (!code && g.samples % 2) {
    char odd[24];
    snprintf(odd, sizeof odd, "%ld", g.samples);
    code = complain("fft_pipeline", g.rank, "--samples", odd, "an even number is expected");
  }
  if (!code && g.rank == 0 && !(g.output = calloc((size_t)g.blocks * half(), sizeof *g.output))) {
    fprintf(stderr, "fft_pipeline: there is no memory for %ld blocks of %ld samples\n", g.blocks, g.samples);
    code = 1;
  }
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  midrun_pipe_config_t config = {.struct_size = sizeof config, .stage_count = sizeof STAGES / sizeof *STAGES, .stages = STAGES,
                                 .stage_size = sizeof *STAGES, .source = source, .sink = sink, .pattern = g.pattern};
  if (!code) code = streams("fft_pipeline", g.rank, &config, g.runs, g.json, judge);
  free(g.output);
  MPI_Finalize();
  return code < 0 ? 0 : code;
}
