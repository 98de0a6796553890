/* image_pipeline - decodes, denoises, transforms and encodes a folder of JPEG pictures into another folder, in order.
 *
 * Rank 0 reads the files and writes the results; the pattern places the stages. Denoising takes most of the time, so give
 * it replicas: --pattern 0,1x3,2,3. With --team its ranks denoise each picture together, in bands: a Master/Worker team. Needs TurboJPEG (of libjpeg-turbo). --help lists the options.
 */
#include "pictures.h"
#include "pipeline.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <turbojpeg.h>

enum { QUALITY = 90, MOST = 16384 /* pixels on a side */ };

/* The item that stages pass on. It holds the file's name, so that every stage can name the file in an error. */
typedef struct {
  char name[NAME_MAX + 1];
  int32_t width, height; /* 0 in front of decode */
  int32_t from, to;      /* of a band of a picture: its rows that are to be denoised */
  unsigned char bytes[]; /* a JPEG file in front of decode and behind encode; in between three bytes per pixel */
} picture_t;

static struct {
  const char *in, *out, *size, *pattern;
  long make, seed, runs;
  int width, height, check, json, team, rank, count;
  struct dirent **files; /* of the pictures, by name */
  uint64_t next, disordered;
} g = {.size = "640x480", .seed = 1, .runs = 1};

static int complain_of(const char *name, const char *why) {
  fprintf(stderr, "image_pipeline: %s: %s\n", name, why);
  return 2;
}

static size_t pixel_bytes(int width, int height) { return 3 * (size_t)width * (size_t)height; }

static picture_t *picture(midrun_pipe_out_t *out, const char *name, int width, int height, size_t bytes) {
  picture_t *p = room(out, sizeof *p + bytes);
  if (!p) return NULL;
  snprintf(p->name, sizeof p->name, "%s", name);
  p->width = width, p->height = height;
  return p;
}

/* ---- The four stages --------------------------------------------------------------------------- */

static int decode(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  (void)user, (void)input;
  static tjhandle decoder; /* one for each rank that decodes */
  if (!decoder && !(decoder = tjInitDecompress())) return 3;
  const picture_t *in = data;
  int width, height, subsampling, colours;
  size_t size = bytes - sizeof *in;
  if (size == 0) return complain_of(in->name, "it is empty");
  if (tjDecompressHeader3(decoder, in->bytes, size, &width, &height, &subsampling, &colours))
    return complain_of(in->name, tjGetErrorStr2(decoder));
  if (width > MOST || height > MOST) return complain_of(in->name, "it has more than 16384 pixels on a side");
  picture_t *p = picture(out, in->name, width, height, pixel_bytes(width, height));
  if (!p) return 3;
  /* A damaged file gives a picture and a warning, which is an error here. */
  int bad = tjDecompress2(decoder, in->bytes, size, p->bytes, width, 0, height, TJPF_RGB, TJFLAG_ACCURATEDCT);
  return bad ? complain_of(in->name, tjGetErrorStr2(decoder)) : 0;
}

/* The median of nine values, by a network of 19 exchanges (J. L. Smith, "Implementing median filters in XC4000E FPGAs", XCELL 23,
 *1996). */
static unsigned char median9(unsigned char *v) {
  static const unsigned char PAIRS[19][2] = {{1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2}, {4, 5}, {7, 8}, {0, 3},
                                             {5, 8}, {4, 7}, {3, 6}, {1, 4}, {2, 5}, {4, 7}, {4, 2}, {6, 4}, {4, 2}};
  for (int k = 0; k < 19; k++) {
    unsigned char a = v[PAIRS[k][0]], b = v[PAIRS[k][1]];
    v[PAIRS[k][0]] = a < b ? a : b, v[PAIRS[k][1]] = a < b ? b : a;
  }
  return v[4];
}

static int clamp(int x, int most) { return x < 0 ? 0 : x > most ? most : x; }

/* The three colours of a pixel; beyond an edge, those of the nearest pixel. */
static const unsigned char *pixel(const picture_t *p, int x, int y) {
  return p->bytes + pixel_bytes(p->width, clamp(y, p->height - 1)) + 3 * clamp(x, p->width - 1);
}

/* Each colour of some rows becomes the median of the 3 x 3 pixels around it: single wrong pixels vanish, edges stay. */
static void smooth(const picture_t *in, int first, int end, unsigned char *to) {
  unsigned char values[9];
  for (int y = first; y < end; y++)
    for (int x = 0; x < in->width; x++)
      for (int colour = 0; colour < 3; colour++) {
        for (int k = 0; k < 9; k++) values[k] = pixel(in, x + k % 3 - 1, y + k / 3 - 1)[colour];
        *to++ = median9(values);
      }
}

static int denoise(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  (void)user, (void)input;
  const picture_t *in = data;
  picture_t *p = picture(out, in->name, in->width, in->height, bytes - sizeof *in);
  if (!p) return 3;
  smooth(in, 0, in->height, p->bytes);
  return 0;
}

/* ---- The same by a team: bands of rows, each with the row before and behind it ------------------- */

enum { BAND = 16 };

static int split(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  (void)user, (void)input, (void)bytes;
  const picture_t *in = data;
  size_t row = pixel_bytes(in->width, 1);
  for (int first = 0; first < in->height; first += BAND) {
    int end = first + BAND < in->height ? first + BAND : in->height;
    int above = first > 0, below = end < in->height, rows = end - first + above + below;
    picture_t *band = picture(out, in->name, in->width, rows, row * (size_t)rows);
    if (!band) return 3;
    band->from = above, band->to = above + end - first;
    memcpy(band->bytes, in->bytes + row * (size_t)(first - above), row * (size_t)rows);
  }
  return 0;
}

static int band(void *user, uint64_t input, uint64_t task, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  (void)user, (void)input, (void)task, (void)bytes;
  const picture_t *in = data;
  unsigned char *rows = midrun_pipe_emit(out, pixel_bytes(in->width, in->to - in->from));
  if (!rows) return 3;
  smooth(in, in->from, in->to, rows);
  return 0;
}

static int join(void *user, uint64_t input, const void *data, size_t bytes, uint64_t tasks, const midrun_pipe_part_t *bands,
                midrun_pipe_out_t *out) {
  (void)user, (void)input;
  const picture_t *in = data;
  picture_t *p = picture(out, in->name, in->width, in->height, bytes - sizeof *in);
  if (!p) return 3;
  unsigned char *to = p->bytes;
  for (uint64_t k = 0; k < tasks; to += bands[k].bytes, k++) memcpy(to, bands[k].data, bands[k].bytes);
  return 0;
}

/* A colour of the picture at half the size: the mean of 2 x 2 pixels. */
static int halved(const picture_t *in, int x, int y, int colour) {
  x *= 2, y *= 2;
  return (pixel(in, x, y)[colour] + pixel(in, x + 1, y)[colour] + pixel(in, x, y + 1)[colour] + pixel(in, x + 1, y + 1)[colour] + 2) / 4;
}

/* Halves the size, then sharpens: twice each pixel minus the mean of its four neighbours. */
static int transform(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  (void)user, (void)input, (void)bytes;
  const picture_t *in = data;
  int width = (in->width + 1) / 2, height = (in->height + 1) / 2;
  picture_t *p = picture(out, in->name, width, height, pixel_bytes(width, height));
  if (!p) return 3;
  unsigned char *to = p->bytes;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int colour = 0; colour < 3; colour++) {
        int beside = halved(in, x - 1, y, colour) + halved(in, x + 1, y, colour);
        int around = beside + halved(in, x, y - 1, colour) + halved(in, x, y + 1, colour);
        *to++ = (unsigned char)clamp(2 * halved(in, x, y, colour) - around / 4, 255);
      }
  return 0;
}

static int encode(void *user, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  (void)user, (void)input, (void)bytes;
  static tjhandle encoder;
  if (!encoder && !(encoder = tjInitCompress())) return 3;
  const picture_t *in = data;
  unsigned char *file = NULL;
  unsigned long size = 0;
  int bad = tjCompress2(encoder, in->bytes, in->width, 0, in->height, TJPF_RGB, &file, &size, TJSAMP_420, QUALITY, TJFLAG_ACCURATEDCT);
  if (bad) complain_of(in->name, tjGetErrorStr2(encoder));
  picture_t *p = bad ? NULL : picture(out, in->name, in->width, in->height, size);
  if (p) memcpy(p->bytes, file, size);
  tjFree(file);
  return p ? 0 : 3;
}

static const midrun_pipe_stage_t STAGES[] = {
    {.name = "decode", .run = decode}, {.name = "denoise", .run = denoise}, {.name = "transform", .run = transform},
    {.name = "encode", .run = encode}};
static const midrun_pipe_stage_t WITH_TEAM[] = {
    {.name = "decode", .run = decode}, {.name = "denoise", .split = split, .task = band, .join = join},
    {.name = "transform", .run = transform}, {.name = "encode", .run = encode}};

/* ---- Rank 0: files in, files out ----------------------------------------------------------------- */

static FILE *opened(const char *folder, const char *name, const char *mode) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return fopen(path, mode);
}

static int source(void *user, uint64_t input, midrun_pipe_out_t *out) {
  (void)user;
  if (input == (uint64_t)g.count) return MIDRUN_PIPE_END;
  const char *name = g.files[input]->d_name;
  FILE *file = opened(g.in, name, "rb");
  struct stat about;
  if (!file || fstat(fileno(file), &about)) return complain_of(name, strerror(errno));
  size_t size = (size_t)about.st_size;
  picture_t *p = picture(out, name, 0, 0, size);
  int bad = !p || fread(p->bytes, 1, size, file) != size;
  fclose(file);
  return bad ? complain_of(name, "it cannot be read whole") : 0;
}

static int written(const char *folder, const char *name, const void *bytes, size_t size) {
  FILE *file = opened(folder, name, "wb");
  int good = file && fwrite(bytes, 1, size, file) == size;
  if (file && fclose(file)) good = 0;
  return good ? 0 : complain_of(name, strerror(errno));
}

static int sink(void *user, uint64_t input, const void *data, size_t bytes) {
  (void)user;
  const picture_t *p = data;
  g.disordered += input != g.next++;
  return written(g.out, p->name, p->bytes, bytes - sizeof *p);
}

/* Whether the file is what the stages produce when this process runs them one after the other. */
static int is_right(const midrun_pipe_config_t *config, uint64_t input) {
  const picture_t *expected = in_sequence(config, input).data;
  FILE *file = opened(g.out, g.files[input]->d_name, "rb");
  size_t at = 0, size = expected ? here.bytes - sizeof *expected : 0;
  while (file && at < size && getc(file) == expected->bytes[at]) at++;
  int same = file && size && at == size && getc(file) == EOF;
  if (file) fclose(file);
  return same;
}

static int judge(const midrun_pipe_config_t *config, figure_t *more) {
  uint64_t wrong = g.disordered + (g.next != (uint64_t)g.count);
  midrun_pipe_config_t alone = *config;
  alone.stages = STAGES; /* a team makes what one rank makes by itself */
  for (uint64_t k = 0; g.check && k < (uint64_t)g.count; k++) wrong += !is_right(&alone, k);
  if (g.check) more[0] = (figure_t){"wrong", (double)wrong};
  g.next = g.disordered = 0;
  return wrong == 0;
}

/* ---- Start ------------------------------------------------------------------------------------- */

/* Draws sample pictures. */
static int make(void) {
  unsigned char *pixels = malloc(pixel_bytes(g.width, g.height)), *file = NULL;
  unsigned long size = 0;
  tjhandle encoder = tjInitCompress();
  int bad = !pixels || !encoder;
  for (long k = 0; k < g.make && !bad; k++) {
    char name[40];
    snprintf(name, sizeof name, "picture%06ld.jpg", k);
    draw(pixels, g.width, g.height, mix((uint64_t)g.seed) + mix((uint64_t)k));
    bad = tjCompress2(encoder, pixels, g.width, 0, g.height, TJPF_RGB, &file, &size, TJSAMP_444, QUALITY, TJFLAG_ACCURATEDCT);
    bad = bad || written(g.in, name, file, size);
  }
  tjFree(file), tjDestroy(encoder), free(pixels);
  return bad;
}

static int is_picture(const struct dirent *entry) {
  const char *ending = strrchr(entry->d_name, '.');
  return ending && ending != entry->d_name && (!strcasecmp(ending, ".jpg") || !strcasecmp(ending, ".jpeg"));
}

/* Runs rank 0, which reads and writes the files; returns 0 or an exit code. */
static int folders(void) {
  struct stat in, out;
  if (g.make && mkdir(g.in, 0777) && errno != EEXIST) return complain("image_pipeline", 0, "--in", g.in, strerror(errno));
  if (mkdir(g.out, 0777) && errno != EEXIST) return complain("image_pipeline", 0, "--out", g.out, strerror(errno));
  if (stat(g.in, &in) || stat(g.out, &out)) return complain("image_pipeline", 0, "--in", g.in, strerror(errno));
  if (in.st_dev == out.st_dev && in.st_ino == out.st_ino)
    return complain("image_pipeline", 0, "--out", g.out, "another folder than that of --in is expected");
  if (g.make && make()) return 1;
  g.count = scandir(g.in, &g.files, is_picture, alphasort);
  return g.count > 0 ? 0 : complain("image_pipeline", 0, "--in", g.in, "a folder with .jpg or .jpeg files is expected");
}

static const char HELP[] =
    "mpirun -n RANKS image_pipeline --in FOLDER --out FOLDER [--make N] [--size WIDTHxHEIGHT] [--seed N]\n"
    "  [--pattern PATTERN] [--team] [--runs N] [--check] [--json]\n"
    "--make draws N pictures into --in first; --check computes each picture again on rank 0 and compares the files.\n";

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  const option_t table[] = {
      {.name = "in", .text = &g.in}, {.name = "out", .text = &g.out}, {.name = "size", .text = &g.size},
      {.name = "pattern", .text = &g.pattern}, {.name = "check", .on = &g.check}, {.name = "json", .on = &g.json},
      {.name = "team", .on = &g.team},
      {.name = "make", .number = &g.make, .minimum = 1, .maximum = 1000000},
      {.name = "seed", .number = &g.seed, .maximum = INT_MAX},
      {.name = "runs", .number = &g.runs, .minimum = 1, .maximum = 1000000}, {0}};
  int code = options(argc, argv, "image_pipeline", g.rank, HELP, table);
  char rest;
  int sizes = sscanf(g.size, "%5dx%5d%c", &g.width, &g.height, &rest);
  if (!code && (sizes != 2 || g.width < 1 || g.height < 1 || g.width > MOST || g.height > MOST))
    code = complain("image_pipeline", g.rank, "--size", g.size, "WIDTHxHEIGHT from 1x1 to 16384x16384 is expected");
  if (!code && (!g.in || !g.out)) code = complain("image_pipeline", g.rank, g.in ? "--out" : "--in", "", "a folder is expected");
  if (!code && g.rank == 0) code = folders();
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  midrun_pipe_config_t config = {.struct_size = sizeof config, .stage_count = sizeof STAGES / sizeof *STAGES, .stages = g.team ? WITH_TEAM : STAGES,
                                 .stage_size = sizeof *STAGES, .source = source, .sink = sink, .pattern = g.pattern};
  if (!code) code = streams("image_pipeline", g.rank, &config, g.runs, g.json, judge);
  MPI_Finalize();
  return code < 0 ? 0 : code;
}
