/* pipe_synthetic - a pipeline of synthetic stages, which measures a pattern and checks that nothing is lost.
 *
 * Each stage sleeps (or spins) for a time drawn by --seed, the stage and the input. Its output is unique to that stage and input; the
 * sink checks that each input comes out once, whole, and in order. A stage of --team is computed by a Master/Worker team, in tasks
 * that take an equal share of its time (and scatter by --sigma-pct). --help lists the options.
 */
#define _GNU_SOURCE
#include "synthetic.h"
#include <getopt.h>
#include <math.h>
#include <midrun.h>
#include <mpi.h>
#include <string.h>
#include <sys/prctl.h>

enum { STAGES = 64, CHANGES = 256 };

typedef struct {
  uint64_t input, part, parts, hash;
} head_t;

typedef struct {
  uint64_t at;
  const char *pattern;
} change_t;

static struct {
  double ms[STAGES], sigma_pct, slow_factor, drift_factor;
  uint64_t inputs, bytes, seed, runs, in_flight, fail_input, tasks[STAGES]; /* the last 0 where no team computes the stage */
  int stages, spin, unordered, spawn, json, times, stateful, many, fail_stage, drift_stage, slow_ranks, rank, changed, next_change;
  const char *pattern;
  change_t changes[CHANGES];
  midrun_pipe_t *pipe;
  uint64_t expected; /* the input that the stage with state takes next */
  uint32_t *seen;
  uint64_t wrong, disordered, last, part, outputs;
  int64_t begin_ns, half_ns, end_ns, *drawn_ns, *came_ns; /* the last two where --times asks for each input's */
} g = {.inputs = 100, .bytes = 64, .seed = 1, .runs = 1, .stateful = -1, .many = -1, .fail_stage = -1, .drift_stage = -1};

/* Time of a stage for an input, nanoseconds. */
static double stage_ns(int stage, uint64_t input) {
  uint64_t a = mix(mix(mix(g.seed) ^ (uint64_t)stage) ^ input), b = mix(a);
  double u = ((double)(a >> 11) + 0.5) / 9007199254740992.0, v = (double)(b >> 11) / 9007199254740992.0;
  double x = 1 + g.sigma_pct / 100 * sqrt(-2 * log(u)) * cos(2 * M_PI * v);
  if (stage == g.drift_stage && input >= g.inputs / 2) x *= g.drift_factor;
  if (g.rank > 0 && g.rank <= g.slow_ranks) x *= g.slow_factor;
  return x > 0 ? x * g.ms[stage] * 1e6 : 0;
}

/* Number of outputs that the stage with many outputs makes of an input: 0 to 3. */
static uint64_t parts(uint64_t input) { return g.many < 0 ? 1 : mix(g.seed ^ input) % 4; }

static uint64_t step(uint64_t hash, int stage, uint64_t part) { return mix(hash ^ mix((uint64_t)stage * 4096 + part + 1)); }

/* The hash after all stages. */
static uint64_t final_hash(uint64_t input, uint64_t part) {
  uint64_t hash = mix(g.seed ^ mix(input));
  for (int s = 0; s < g.stages; s++) hash = step(hash, s, g.many >= 0 && s >= g.many ? part : 0);
  return hash;
}

/* Whether every byte behind the head is the hash's. */
static int whole(const head_t *h, const unsigned char *data, size_t bytes) {
  unsigned char fill = h->hash & 255;
  if (bytes != g.bytes) return 0;
  if (bytes == sizeof *h) return 1;
  return data[sizeof *h] == fill && !memcmp(data + sizeof *h, data + sizeof *h + 1, bytes - sizeof *h - 1);
}

static int emit(midrun_pipe_out_t *out, const head_t *h) {
  unsigned char *room = midrun_pipe_emit(out, g.bytes);
  if (!room) return 2;
  memcpy(room, h, sizeof *h);
  memset(room + sizeof *h, (int)(h->hash & 255), g.bytes - sizeof *h);
  return 0;
}

static int source(void *user, uint64_t input, midrun_pipe_out_t *out) {
  (void)user;
  if (input == g.inputs) return MIDRUN_PIPE_END;
  if (g.times) g.drawn_ns[input] = now_ns();
  for (; g.next_change < g.changed && g.changes[g.next_change].at == input; g.next_change++)
    if (midrun_pipe_pattern(g.pipe, g.changes[g.next_change].pattern) < 0) return 3;
  head_t h = {input, 0, 1, mix(g.seed ^ mix(input))};
  return emit(out, &h);
}

static int stage(int s, uint64_t input, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  head_t h;
  memcpy(&h, data, sizeof h);
  if (s == g.fail_stage && input == g.fail_input) return 7;
  if (h.input != input || !whole(&h, data, bytes)) h.hash = ~h.hash; /* the sink notices damage */
  if (s == g.stateful && h.part == 0) { /* behind a stage that emits nothing for some inputs these are missing */
    if (g.many < 0 ? input != g.expected : input < g.expected) h.hash = ~h.hash;
    g.expected = input + 1;
  }
  work(stage_ns(s, input), g.spin);
  uint64_t hash = h.hash, count = s == g.many ? parts(input) : 1;
  for (uint64_t p = 0; p < count; p++) {
    if (s == g.many) h.part = p, h.parts = count;
    h.hash = step(hash, s, h.part);
    if (emit(out, &h)) return 2;
  }
  return 0;
}

/* A team's stage: tasks with hashes of their own, which join checks. */
static uint64_t task_hash(const head_t *h, uint64_t task) { return mix(h->hash ^ mix(task + 1)); }

static int split(int s, uint64_t input, const void *data, midrun_pipe_out_t *out) {
  head_t h;
  memcpy(&h, data, sizeof h);
  for (uint64_t t = 0; t < g.tasks[s]; t++) {
    head_t *task = midrun_pipe_emit(out, sizeof *task);
    if (!task) return 2;
    *task = (head_t){input, t, g.tasks[s], task_hash(&h, t)};
  }
  return 0;
}

static int task(int s, uint64_t input, uint64_t number, const void *data, size_t bytes, midrun_pipe_out_t *out) {
  const head_t *h = data;
  if (s == g.fail_stage && input == g.fail_input && number == g.tasks[s] / 2) return 7;
  int right = bytes == sizeof *h && h->input == input && h->part == number;
  work(stage_ns(s, input * g.tasks[s] + number) / (double)g.tasks[s], g.spin);
  uint64_t *result = midrun_pipe_emit(out, sizeof *result);
  if (!result) return 2;
  *result = step(right ? h->hash : ~h->hash, s, number);
  return 0;
}

static int join(int s, uint64_t input, const void *data, size_t bytes, uint64_t tasks, const midrun_pipe_part_t *results, midrun_pipe_out_t *out) {
  head_t h;
  memcpy(&h, data, sizeof h);
  int right = tasks == g.tasks[s] && h.input == input && whole(&h, data, bytes);
  for (uint64_t t = 0; t < tasks; t++)
    right = right && results[t].bytes == 8 && *(const uint64_t *)results[t].data == step(task_hash(&h, t), s, t);
  if (!right) h.hash = ~h.hash;
  h.hash = step(h.hash, s, h.part);
  return emit(out, &h);
}

static int sink(void *user, uint64_t input, const void *data, size_t bytes) {
  (void)user;
  head_t h;
  memcpy(&h, data, sizeof h);
  g.outputs++;
  g.end_ns = now_ns();
  if (input >= g.inputs || h.input != input || h.part >= parts(input) || h.hash != final_hash(input, h.part) || !whole(&h, data, bytes)) {
    g.wrong++;
    return 0;
  }
  if (h.part != (g.seen[input] & 255) || (!g.unordered && input < g.last)) g.disordered++;
  g.last = input;
  g.seen[input]++;
  if (g.times) g.came_ns[input] = g.end_ns;
  if (input == g.inputs / 2) g.half_ns = g.end_ns;
  return 0;
}

/* One function per stage: a stage receives its input, not its number. */
#define S(n) static int stage##n(void *u, uint64_t i, const void *d, size_t b, midrun_pipe_out_t *o) { return (void)u, stage(n, i, d, b, o); }
#define TEAM(n) \
  static int split##n(void *u, uint64_t i, const void *d, size_t b, midrun_pipe_out_t *o) { return (void)u, (void)b, split(n, i, d, o); } \
  static int task##n(void *u, uint64_t i, uint64_t t, const void *d, size_t b, midrun_pipe_out_t *o) { return (void)u, task(n, i, t, d, b, o); } \
  static int join##n(void *u, uint64_t i, const void *d, size_t b, uint64_t t, const midrun_pipe_part_t *r, midrun_pipe_out_t *o) { \
    return (void)u, join(n, i, d, b, t, r, o); \
  }
#define EACH(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)
EACH(S)
EACH(TEAM)
#define NAME(n) {.name = "s" #n, .run = stage##n},
static midrun_pipe_stage_t table[] = {EACH(NAME)};
#define NAME_TEAM(n) {.name = "s" #n, .split = split##n, .task = task##n, .join = join##n},
static const midrun_pipe_stage_t teams[] = {EACH(NAME_TEAM)};
enum { MOST = sizeof table / sizeof *table };

static int usage(const char *what, const char *value, const char *allowed) {
  return complain("pipe_synthetic", g.rank, what, value, allowed);
}

static const char HELP[] =
    "mpirun -n RANKS pipe_synthetic [--stages MS,MS,...] [--bytes N] [--inputs N] [--sigma-pct X] [--seed N]\n"
    "  [--work sleep|spin] [--ordered] [--unordered] [--check] [--drift STAGE:FACTOR from half of the inputs on]\n"
    "  [--slow RANKS:FACTOR ranks 1 to RANKS take FACTOR times as long]\n"
    "  [--pattern PATTERN] [--change INPUT:PATTERN ...] [--stateful STAGE] [--many STAGE] [--fail STAGE:INPUT]\n"
    "  [--team STAGE:TASKS ... a team computes the stage, in so many tasks]\n"
    "  [--spawn: further ranks may be started] [--in-flight N] [--runs N] [--json] [--times with --json: seconds from the begin at which each input was drawn and came out]\n";

static int number(const char *name, double minimum, double maximum, double *out) {
  char range[80];
  if (is_number(optarg, minimum, maximum, out)) return 0;
  snprintf(range, sizeof range, "a number from %.10g to %.10g is expected", minimum, maximum);
  return usage(name, optarg, range);
}

static int stages_option(void) {
  char *at = optarg, *end;
  for (g.stages = 0;; at = end + 1) {
    double ms = strtod(at, &end);
    if (end == at || ms < 0 || ms > 1e6 || (*end && *end != ',') || g.stages == MOST)
      return usage("--stages", optarg, "1 to 16 times in milliseconds are expected, such as 100,400,300");
    g.ms[g.stages++] = ms;
    if (!*end) return 0;
  }
}

static int change_option(void) {
  char *end;
  uint64_t at = strtoull(optarg, &end, 10);
  if (end == optarg || *end != ':' || g.changed == CHANGES) return usage("--change", optarg, "INPUT:PATTERN is expected");
  g.changes[g.changed++] = (change_t){at, end + 1};
  return 0;
}

static int options(int argc, char **argv) {
  static const struct option LONG[] = {
      {"stages", 1, 0, 's'}, {"bytes", 1, 0, 'b'}, {"inputs", 1, 0, 'i'}, {"sigma-pct", 1, 0, 'S'}, {"seed", 1, 0, 'r'},
      {"work", 1, 0, 'w'}, {"ordered", 0, 0, 'o'}, {"unordered", 0, 0, 'u'}, {"spawn", 0, 0, 'x'}, {"check", 0, 0, 'c'}, {"drift", 1, 0, 'D'}, {"slow", 1, 0, 'W'},
      {"pattern", 1, 0, 'p'}, {"change", 1, 0, 'C'}, {"stateful", 1, 0, 'k'}, {"many", 1, 0, 'm'}, {"fail", 1, 0, 'f'},
      {"in-flight", 1, 0, 'n'}, {"runs", 1, 0, 'R'}, {"json", 0, 0, 'j'}, {"times", 0, 0, 't'}, {"team", 1, 0, 'T'}, {"help", 0, 0, 'h'}, {0}};
  int o, bad = 0, of;
  double x = 0;
  opterr = 0;
  g.stages = 3, g.ms[0] = g.ms[1] = g.ms[2] = 1;
  while (!bad && (o = getopt_long(argc, argv, "", LONG, NULL)) != -1) switch (o) {
      case 's': bad = stages_option(); break;
      case 'b': bad = number("--bytes", sizeof(head_t), 8e9, &x), g.bytes = (uint64_t)x; break;
      case 'i': bad = number("--inputs", 0, 1e8, &x), g.inputs = (uint64_t)x; break;
      case 'n': bad = number("--in-flight", 0, 1e6, &x), g.in_flight = (uint64_t)x; break;
      case 'R': bad = number("--runs", 1, 1e6, &x), g.runs = (uint64_t)x; break;
      case 'r': bad = number("--seed", 0, 9e15, &x), g.seed = (uint64_t)x; break;
      case 'k': bad = number("--stateful", 0, MOST - 1, &x), g.stateful = (int)x; break;
      case 'm': bad = number("--many", 0, MOST - 1, &x), g.many = (int)x; break;
      case 'S': bad = number("--sigma-pct", 0, 1000, &g.sigma_pct); break;
      case 'p': g.pattern = optarg; break;
      case 'C': bad = change_option(); break;
      case 'w': if (strcmp(optarg, "sleep") && strcmp(optarg, "spin")) bad = usage("--work", optarg, "sleep or spin"); g.spin = !strcmp(optarg, "spin"); break;
      case 'D':
        if (sscanf(optarg, "%d:%lf", &g.drift_stage, &g.drift_factor) != 2 || g.drift_factor < 0)
          bad = usage("--drift", optarg, "STAGE:FACTOR such as 1:3 is expected");
        break;
      case 'W':
        if (sscanf(optarg, "%d:%lf", &g.slow_ranks, &g.slow_factor) != 2 || g.slow_factor < 0)
          bad = usage("--slow", optarg, "RANKS:FACTOR such as 3:4 is expected");
        break;
      case 'f':
        if (sscanf(optarg, "%d:%lu", &g.fail_stage, &g.fail_input) != 2) bad = usage("--fail", optarg, "STAGE:INPUT is expected");
        break;
      case 'T': {
        uint64_t tasks;
        if (sscanf(optarg, "%d:%lu", &of, &tasks) == 2 && of >= 0 && of < MOST && tasks > 0 && tasks <= 1000000) g.tasks[of] = tasks;
        else bad = usage("--team", optarg, "STAGE:TASKS such as 1:12 is expected");
        break;
      }
      case 'o': g.unordered = 0; break;
      case 'u': g.unordered = 1; break;
      case 'x': g.spawn = 1; break;
      case 'c': break; /* outputs are always checked */
      case 'j': g.json = 1; break;
      case 't': g.times = 1; break;
      case 'h': if (g.rank == 0) fputs(HELP, stdout); return -1;
      default: bad = usage("the option", argv[optind - 1], "--help lists the options");
    }
  if (!bad && optind < argc) bad = usage("the argument", argv[optind], "--help lists the options");
  return bad;
}

/* One more list in the line of JSON. */
static void list(const char *name, const int64_t *ns) {
  printf(",\"%s\":[", name);
  for (uint64_t i = 0; i < g.inputs; i++) /* where a stream failed, some of its inputs have none */
    if (printf(i ? "," : ""), ns[i] < g.begin_ns) printf("null");
    else printf("%.6f", (double)(ns[i] - g.begin_ns) * 1e-9);
  putchar(']');
}

/* One stream; 0 when every output came as it should. */
static int stream(void) {
  uint64_t lost = 0, doubled = 0;
  g.expected = g.wrong = g.disordered = g.last = g.outputs = 0;
  g.next_change = 0;
  memset(g.seen, 0, (g.inputs + 1) * sizeof *g.seen);
  g.begin_ns = g.half_ns = g.end_ns = now_ns();
  int status = midrun_pipe_run(g.pipe);
  if (g.rank != 0) return status < 0;
  if (status < 0) fprintf(stderr, "pipe_synthetic: %s\n", midrun_status_text(status));
  for (uint64_t i = 0; i < g.inputs; i++) {
    lost += g.seen[i] < parts(i);
    doubled += g.seen[i] > parts(i);
  }
  midrun_pipe_stats_t s = {.struct_size = sizeof s};
  midrun_pipe_last(g.pipe, &s);
  uint64_t after = g.inputs > 1 ? g.inputs - 1 - g.inputs / 2 : 0;
  double period_s = after ? (double)(g.end_ns - g.half_ns) * 1e-9 / (double)after : 0;
  printf(g.json ? "{\"inputs\":%llu,\"outputs\":%llu,\"changes\":%llu,\"seconds\":%.6f,\"period_s\":%.6f,\"lost\":%llu,\"doubled\":%llu,"
                  "\"wrong\":%llu,\"disordered\":%llu"
                : "inputs %llu, outputs %llu, changes %llu, %.4f s, period of the second half %.6f s; lost %llu, doubled %llu, wrong %llu, "
                  "out of order %llu",
         (unsigned long long)s.inputs, (unsigned long long)s.outputs, (unsigned long long)s.changes, s.seconds, period_s,
         (unsigned long long)lost, (unsigned long long)doubled, (unsigned long long)g.wrong, (unsigned long long)g.disordered);
  if (g.json && g.times) list("drawn_s", g.drawn_ns), list("came_s", g.came_ns);
  puts(g.json ? "}" : "");
  fflush(stdout);
  return status < 0 || lost || doubled || g.wrong || g.disordered;
}

static int run(void) {
  if (g.stateful >= 0) table[g.stateful].flags |= MIDRUN_PIPE_STATEFUL;
  if (g.many >= 0) table[g.many].flags |= MIDRUN_PIPE_MANY;
  for (int s = 0; s < MOST; s++)
    if (g.tasks[s]) table[s].run = NULL, table[s].split = teams[s].split, table[s].task = teams[s].task, table[s].join = teams[s].join;
  midrun_pipe_config_t config = {.struct_size = sizeof config, 
                                 .flags = (g.unordered ? MIDRUN_PIPE_UNORDERED : 0) | (g.spawn ? MIDRUN_PIPE_SPAWN : 0),
                                
                                 .stage_count = (uint32_t)g.stages, .stages = table, .stage_size = sizeof *table, .source = source,
                                 .sink = sink, .pattern = g.pattern, .in_flight = (uint32_t)g.in_flight};
  int status = midrun_pipe_create(&g.pipe, &config);
  if (status < 0) {
    if (g.rank == 0) fprintf(stderr, "pipe_synthetic: %s\n", midrun_status_text(status));
    return status == MIDRUN_ERR_ARGUMENT ? USAGE : 1;
  }
  prctl(PR_SET_TIMERSLACK, 1000UL);
  g.seen = calloc(g.inputs + 1, sizeof *g.seen);
  if (g.times) g.drawn_ns = calloc(g.inputs + 1, sizeof *g.drawn_ns), g.came_ns = calloc(g.inputs + 1, sizeof *g.came_ns);
  if (!g.seen || (g.times && (!g.drawn_ns || !g.came_ns))) return MPI_Abort(MPI_COMM_WORLD, 1);
  int bad = 0; /* known to rank 0 alone, so that it must not decide how many streams there are */
  for (uint64_t r = 0; r < g.runs; r++, g.fail_stage = -1) bad |= stream();
  midrun_pipe_destroy(&g.pipe);
  free(g.seen), free(g.drawn_ns), free(g.came_ns);
  return bad;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  int code = options(argc, argv);
  if (code == 0) code = run();
  MPI_Finalize();
  return code < 0 ? 0 : code;
}
