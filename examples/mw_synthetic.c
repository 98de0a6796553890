/* mw_synthetic - a Master/Worker program of synthetic tasks, which shows how a scheduling technique balances them.
 *
 * Each task sleeps (or spins) for a time drawn from --dist by --seed and its index, and returns a number unique to it; the master
 * checks that each number came back exactly once. --help lists the options.
 */
#define _GNU_SOURCE
#include "synthetic.h"
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <midrun.h>
#include <mpi.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { CLASSES = 64, DEATHS = 64 };

static struct {
  uint64_t tasks, iterations, bytes, result_bytes, seed, workers;
  double mean_us, sigma_pct, factor, drift_pct, jump, slow_share, slow_factor, slow_start_s;
  const char *dist, *technique, *until;
  struct { uint64_t count; double ns; } classes[CLASSES]; /* of --classes; the tasks are then theirs */
  int class_count;
  uint16_t *class_of; /* each task's class in iteration `drawn` */
  uint64_t drawn;
  int spin, json, spawn, recall, chunks, master_works, counter, tolerate;
  struct { int rank; uint64_t tasks; } dies[DEATHS]; /* of --die: a rank, and the tasks that it computes before it dies */
  int die_count;
  uint64_t computed; /* tasks of this rank */
  int rank, size;
  uint64_t iteration; /* the one being run */
  unsigned char *seen;
  uint64_t wrong;
} g = {.tasks = 1000, .iterations = 5, .bytes = 0, .seed = 1, .mean_us = 1000, .sigma_pct = 20, .jump = 1, .slow_factor = 1, .dist = "normal"};

/* Uniform in (0, 1), the same for the same seed, iteration, task and draw. */
static double uniform(uint64_t iteration, uint64_t task, uint64_t draw) {
  uint64_t h = mix(mix(mix(mix(g.seed) ^ iteration) ^ task) ^ draw);
  return ((double)(h >> 11) + 0.5) / 9007199254740992.0;
}

/* Puts the tasks of the classes into an order drawn for this iteration (Fisher and Yates); every rank draws the same. */
static void draw_classes(uint64_t iteration) {
  uint64_t at = 0;
  for (int c = 0; c < g.class_count; c++)
    for (uint64_t k = 0; k < g.classes[c].count; k++) g.class_of[at++] = (uint16_t)c;
  for (uint64_t k = g.tasks; k-- > 1;) {
    uint64_t other = (uint64_t)(uniform(iteration, k, 2) * (double)(k + 1));
    uint16_t held = g.class_of[k];
    g.class_of[k] = g.class_of[other];
    g.class_of[other] = held;
  }
  g.drawn = iteration;
}

/* Time of a task on a worker of full speed, nanoseconds. */
static double task_ns(uint64_t iteration, uint64_t task) {
  if (g.class_count) {
    if (g.drawn != iteration) draw_classes(iteration);
    return task < g.tasks ? g.classes[g.class_of[task]].ns : 0;
  }
  double mean = g.mean_us * 1e3 * (1 + g.drift_pct / 100 * (double)iteration);
  if (iteration >= (g.iterations + 1) / 2) mean *= g.jump;
  double sigma = g.sigma_pct / 100, x;
  double u = uniform(iteration, task, 0);
  if (!strcmp(g.dist, "uniform")) x = 1 + sigma * sqrt(3) * (2 * u - 1);
  else if (!strcmp(g.dist, "bimodal")) x = u < 0.5 ? 1 - sigma : 1 + sigma;
  else if (!strcmp(g.dist, "exponential")) x = -log(u);
  else if (!strcmp(g.dist, "linear")) x = 1 + sigma * sqrt(3) * (2 * ((double)task + 0.5) / (double)g.tasks - 1);
  else x = 1 + sigma * sqrt(-2 * log(u)) * cos(2 * M_PI * uniform(iteration, task, 1));
  return x * mean > 0 ? x * mean : 0;
}

static uint64_t answer(uint64_t iteration, uint64_t task) { return mix(g.seed ^ mix(iteration * 1000003 + task)); }

static size_t result_bytes(void) {
  uint64_t bytes = g.result_bytes ? g.result_bytes : g.bytes;
  return bytes > 8 ? bytes : 8;
}

static int prepare(void *user, uint64_t iteration, uint64_t first, uint64_t count, void *tasks) {
  (void)user;
  for (uint64_t i = 0; i < count; i++) memset((char *)tasks + i * g.bytes, (int)(answer(iteration, first + i) & 255), g.bytes);
  return 0;
}

/* As a machine that fails: without a word, in the middle of a chunk. */
static void die_when_due(void) {
  for (int d = 0; d < g.die_count; d++)
    if (g.dies[d].rank == g.rank && g.dies[d].tasks == g.computed) raise(SIGKILL);
  g.computed++;
}

static int compute(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *tasks, void *results) {
  (void)user;
  double factor = g.rank > (1 - g.slow_share) * (g.size - 1) ? g.slow_factor : 1;
  for (uint64_t i = 0; i < count; i++) {
    const unsigned char *in = (const unsigned char *)tasks + i * g.bytes;
    unsigned char *out = (unsigned char *)results + i * result_bytes();
    uint64_t a = answer(iteration, first + i);
    die_when_due();
    work(factor * task_ns(iteration, first + i), g.spin);
    if (g.bytes && (in[0] != (a & 255) || in[g.bytes - 1] != (a & 255))) a = ~a; /* the master notices a damaged input */
    memset(out, (int)(a & 255), result_bytes());
    memcpy(out, &a, sizeof a);
  }
  return 0;
}

static int collect(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *results) {
  (void)user;
  for (uint64_t i = 0; i < count; i++) {
    const unsigned char *out = (const unsigned char *)results + i * result_bytes();
    uint64_t a, want = answer(iteration, first + i);
    memcpy(&a, out, sizeof a);
    if (a != want || (result_bytes() > 8 && out[result_bytes() - 1] != (want & 255))) g.wrong++;
    if (first + i < g.tasks && g.seen[first + i] < 255) g.seen[first + i]++;
  }
  return 0;
}

static int usage(const char *what, const char *value, const char *allowed) {
  return complain("mw_synthetic", g.rank, what, value, allowed);
}

static const char HELP[] =
    "mpirun -n RANKS mw_synthetic [--tasks N] [--iterations N] [--mean-us X] [--sigma-pct X]\n"
    "  [--dist normal|uniform|bimodal|exponential|linear] [--bytes N] [--seed N] [--work sleep|spin] [--drift PCT per iteration]\n"
    "  [--classes COUNT:MS,COUNT:MS,...: so many tasks of each time, in another order in each iteration; instead of --tasks and --dist]\n"
    "  [--result-bytes N of a result, --bytes without it]\n"
    "  [--jump FACTOR: so many times longer from the middle of the run on]\n"
    "  [--recall: idle workers get tasks that busy ones have not begun] [--chunks: compute() gets whole chunks]\n"
    "  [--master-works: rank 0 computes tasks, too] [--counter: workers take their chunks from a shared counter]\n"
    "  [--technique none|ss|fsc|gss|fac2|dpf|daf|af|tss|mfsc|awf-b|awf-c] [--factor SHARE] [--slow-workers FRACTION:FACTOR]\n"
    "  [--workers N to begin with, 0 = all] [--spawn: further workers may be started] [--slow-start-s X of a process that is\n"
    "  alone in its world] [--until FILE: iterates until FILE exists, instead of --iterations times] [--check] [--json]\n"
    "  [--tolerate: a worker that dies does not end the job, where the MPI allows it] [--die RANK:TASKS,RANK:TASKS,...: such a\n"
    "  rank kills itself when it has computed so many tasks]\n";

static int number(const char *name, double minimum, double maximum, double *out) {
  char range[80];
  if (is_number(optarg, minimum, maximum, out)) return 0;
  snprintf(range, sizeof range, "a number from %g to %g is expected", minimum, maximum);
  return usage(name, optarg, range);
}

static int is_one_of(const char *value, const char *list) {
  size_t n = strlen(value);
  for (const char *at = list; (at = strstr(at, value)); at += n)
    if (n && (at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return 1;
  return 0;
}

/* Reads --classes; 0 if it makes no sense. */
static int read_classes(const char *text) {
  double total = 0;
  g.class_count = 0;
  for (const char *at = text;; at++) {
    char *end;
    double count = strtod(at, &end), ms = -1;
    if (end != at && *end == ':') ms = strtod(at = end + 1, &end);
    if (end == at || g.class_count == CLASSES || !(count >= 1 && count <= 1e8) || count != floor(count) || !(ms >= 0 && ms <= 1e6)) return 0;
    g.classes[g.class_count].count = (uint64_t)count;
    g.classes[g.class_count++].ns = ms * 1e6;
    total += count;
    if (!*end) break;
    if (*end != ',') return 0;
    at = end;
  }
  g.tasks = (uint64_t)total;
  return total <= 1e8;
}

/* Reads --die; 0 if it makes no sense. */
static int read_deaths(const char *text) {
  for (g.die_count = 0; g.die_count < DEATHS; text++) {
    unsigned long long tasks;
    int rank, length = 0;
    if (sscanf(text, "%d:%llu%n", &rank, &tasks, &length) != 2 || rank < 0) return 0;
    g.dies[g.die_count].rank = rank;
    g.dies[g.die_count++].tasks = tasks;
    text += length;
    if (!*text) return 1;
    if (*text != ',') return 0;
  }
  return 0;
}

static int options(int argc, char **argv) {
  static const char *const DISTS = "normal uniform bimodal exponential linear", *const TECHNIQUES = "none ss fsc gss fac2 dpf daf af tss mfsc awf-b awf-c";
  static const struct option LONG[] = {
      {"tasks", 1, 0, 't'}, {"iterations", 1, 0, 'i'}, {"mean-us", 1, 0, 'm'}, {"sigma-pct", 1, 0, 's'}, {"dist", 1, 0, 'd'},
      {"bytes", 1, 0, 'b'}, {"result-bytes", 1, 0, 'B'}, {"classes", 1, 0, 'k'}, {"seed", 1, 0, 'r'}, {"technique", 1, 0, 'p'}, {"policy", 1, 0, 'p'}, {"factor", 1, 0, 'f'}, {"work", 1, 0, 'w'},
      {"drift", 1, 0, 'D'}, {"jump", 1, 0, 'J'}, {"slow-workers", 1, 0, 'S'}, {"workers", 1, 0, 'n'}, {"check", 0, 0, 'c'}, {"json", 0, 0, 'j'},
      {"recall", 0, 0, 'R'}, {"chunks", 0, 0, 'C'}, {"master-works", 0, 0, 'M'}, {"counter", 0, 0, 'T'}, {"spawn", 0, 0, 'x'}, {"slow-start-s", 1, 0, 'z'}, {"until", 1, 0, 'u'}, {"tolerate", 0, 0, 'L'}, {"die", 1, 0, 'X'}, {"help", 0, 0, 'h'}, {0}};
  int o, bad = 0;
  double x = 0;
  opterr = 0;
  while (!bad && (o = getopt_long(argc, argv, "", LONG, NULL)) != -1) switch (o) {
      case 't': bad = number("--tasks", 0, 1e8, &x), g.tasks = (uint64_t)x; break;
      case 'i': bad = number("--iterations", 0, 1e6, &x), g.iterations = (uint64_t)x; break;
      case 'b': bad = number("--bytes", 0, 1 << 30, &x), g.bytes = (uint64_t)x; break;
      case 'B': bad = number("--result-bytes", 0, 1 << 30, &x), g.result_bytes = (uint64_t)x; break;
      case 'k':
        if (!read_classes(optarg)) bad = usage("--classes", optarg, "COUNT:MS,COUNT:MS,... is expected, such as 205:0.6,154:1.2, with 64 classes at most");
        break;
      case 'n': bad = number("--workers", 0, 1e6, &x), g.workers = (uint64_t)x; break;
      case 'r': bad = number("--seed", 0, 9e15, &x), g.seed = (uint64_t)x; break;
      case 'm': bad = number("--mean-us", 0, 1e9, &g.mean_us); break;
      case 's': bad = number("--sigma-pct", 0, 1000, &g.sigma_pct); break;
      case 'f': bad = number("--factor", 0, 1, &g.factor); break;
      case 'D': bad = number("--drift", -100, 1000, &g.drift_pct); break;
      case 'J': bad = number("--jump", 0, 1e6, &g.jump); break;
      case 'd': if (!is_one_of(g.dist = optarg, DISTS)) bad = usage("--dist", optarg, DISTS); break;
      case 'p': if (!is_one_of(g.technique = optarg, TECHNIQUES)) bad = usage("--technique", optarg, TECHNIQUES); break;
      case 'w': if (!is_one_of(optarg, "sleep spin")) bad = usage("--work", optarg, "sleep or spin"); g.spin = *optarg == 's' && optarg[1] == 'p'; break;
      case 'S':
        if (sscanf(optarg, "%lf:%lf", &g.slow_share, &g.slow_factor) != 2 || g.slow_share < 0 || g.slow_share > 1 || g.slow_factor <= 0)
          bad = usage("--slow-workers", optarg, "FRACTION:FACTOR such as 0.5:4 is expected");
        break;
      case 'c': break; /* results are always checked */
      case 'x': g.spawn = 1; break;
      case 'R': g.recall = 1; break;
      case 'C': g.chunks = 1; break;
      case 'M': g.master_works = 1; break;
      case 'T': g.counter = 1; break;
      case 'L': g.tolerate = 1; break;
      case 'X':
        if (!read_deaths(optarg)) bad = usage("--die", optarg, "RANK:TASKS,RANK:TASKS,... is expected, such as 2:100,3:0, with 64 at most");
        break;
      case 'z': bad = number("--slow-start-s", 0, 3600, &g.slow_start_s); break;
      case 'u': g.until = optarg; break;
      case 'j': g.json = 1; break;
      case 'h': if (g.rank == 0) fputs(HELP, stdout); return -1;
      default: bad = usage("the option", argv[optind - 1], "--help lists the options");
    }
  if (!bad && optind < argc) bad = usage("the argument", argv[optind], "--help lists the options");
  return bad;
}

/* Tasks of the last iteration that did not come back exactly once. */
static uint64_t miscounted(void) {
  uint64_t bad = 0;
  for (uint64_t t = 0; t < g.tasks; t++) bad += g.seen[t] != 1;
  memset(g.seen, 0, g.tasks);
  return bad;
}

/* Whether iteration `i` follows: rank 0 looks for the file of --until and tells the other ranks. */
static int goes_on(uint64_t i) {
  if (!g.until) return i < g.iterations;
  int more = g.rank != 0 || access(g.until, F_OK) != 0;
  MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return more;
}

static int run(void) {
  midrun_mw_t *mw;
  midrun_mw_config_t config = {.struct_size = sizeof config, .task_bytes = g.bytes, .result_bytes = result_bytes(), .prepare = prepare,
                               .compute = compute, .collect = collect, .technique = g.technique, .factor = g.factor,
                               .workers = (uint32_t)g.workers};
  config.flags = (g.spawn ? MIDRUN_MW_SPAWN : 0) | (g.recall ? MIDRUN_MW_RECALL : 0) | (g.chunks ? MIDRUN_MW_CHUNKS : 0) |
                 (g.master_works ? MIDRUN_MW_MASTER_WORKS : 0) | (g.counter ? MIDRUN_MW_COUNTER : 0) |
                 (g.tolerate ? MIDRUN_MW_TOLERATE : 0);
  if (g.size == 1) work(g.slow_start_s * 1e9, g.spin); /* a started worker that is slow to join */
  int status = midrun_mw_create(&mw, &config);
  if (status < 0) {
    if (g.rank == 0) fprintf(stderr, "mw_synthetic: %s\n", midrun_status_text(status));
    return status == MIDRUN_ERR_NO_WORKER || status == MIDRUN_ERR_ARGUMENT ? USAGE : 1;
  }
  double total_s = 0, ideal_s = 0;
  uint64_t bad = 0, lost_workers = 0, redone_tasks = 0;
  g.seen = calloc(g.tasks + 1, 1);
  g.class_of = calloc(g.tasks + 1, sizeof *g.class_of);
  if (!g.seen || !g.class_of) return 1;
  g.drawn = UINT64_MAX;
  prctl(PR_SET_TIMERSLACK, 1000UL);
  for (uint64_t i = 0; status >= 0 && goes_on(i); i++) {
    status = midrun_mw_iterate(mw, g.tasks);
    if (g.rank != 0) continue;
    if (status < 0) fprintf(stderr, "mw_synthetic: iteration %llu: %s\n", (unsigned long long)i, midrun_status_text(status));
    midrun_mw_stats_t s = {.struct_size = sizeof s};
    midrun_mw_last(mw, &s);
    bad += miscounted();
    lost_workers += s.lost_workers;
    redone_tasks += s.redone_tasks;
    double ideal = s.task_s / s.workers, ratio = ideal > 0 ? s.iteration_s / ideal : 1;
    total_s += s.iteration_s;
    ideal_s += ideal;
    printf(g.json ? "{\"iteration\":%llu,\"iteration_s\":%.6f,\"ideal_s\":%.6f,\"ratio\":%.4f,\"technique\":\"%s\",\"chunks\":%llu,\"workers\":%u}\n"
                  : "iteration %llu: %.4f s, ideal %.4f s, ratio %.4f, technique %s, %llu chunks, %u workers\n",
           (unsigned long long)i, s.iteration_s, ideal, ratio, midrun_technique_name(s.technique), (unsigned long long)s.chunks, s.workers);
    fflush(stdout);
  }
  midrun_mw_destroy(&mw);
  free(g.seen);
  free(g.class_of);
  if (g.rank != 0) return status < 0;
  if (lost_workers)
    printf(g.json ? "{\"lost_workers\":%llu,\"redone_tasks\":%llu}\n" : "%llu workers were lost, %llu tasks handed out again\n",
           (unsigned long long)lost_workers, (unsigned long long)redone_tasks);
  printf(g.json ? "{\"total_s\":%.6f,\"ideal_s\":%.6f,\"ratio\":%.4f,\"miscounted\":%llu,\"wrong\":%llu}\n"
                : "total %.4f s, ideal %.4f s, ratio %.4f; tasks lost or doubled: %llu, wrong results: %llu\n",
         total_s, ideal_s, ideal_s > 0 ? total_s / ideal_s : 1, (unsigned long long)bad, (unsigned long long)g.wrong);
  return status < 0 || bad || g.wrong;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g.size);
  int code = options(argc, argv);
  if (code == 0) code = run();
  MPI_Finalize();
  return code < 0 ? 0 : code;
}
