/* moments.c - knows nothing of midrun: calls `step` in a loop, until there is a file "stop", and says when a variable, an
 * argument or a result is another than before; at the end, where `value` changed: inside `step`, outside, at its entry, at
 * its return; how often it differed from `partner`; how often inserted functions ran.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#define FUNCTION __attribute__((noipa))
enum { MOST = 20000, PAUSE_US = 1000 };

volatile int value = 1, partner = 1, kept = 1, never = 0;
static volatile int began, ended, weight, notes_before, notes_after, steps;
static volatile double factor;
static int rank, inside, outside, at_entry, at_return, apart;

FUNCTION static void say(const char *what, double now) {
  printf("rank %d step %d: %s %g\n", rank, steps, what, now);
  fflush(stdout);
}

/* Says it if it is another than the last time, or than at first. */
#define WATCH(what, now, first) \
  do { \
    static double last_ = (first); \
    double now_ = (now); \
    if (now_ != last_) say(what, now_); \
    last_ = now_; \
  } while (0)

FUNCTION void note_before(void) {
  if (!notes_before++) say("before", 1);
}


FUNCTION void note_after(void) {
  if (!notes_after++) say("after", 1);
}

FUNCTION void asked(void) { say("asked", 1); }
FUNCTION int plain(int n) { return 10 + n / 1000000; }
FUNCTION int other_way(int n) { return 20 + n / 1000000; }
FUNCTION void weigh(int n, int w) { weight = w + n / 1000000; }
FUNCTION void scale(double x, double y) { factor = x < 0 ? x : y; }
FUNCTION void seldom(void) { weight = 0, factor = 0; }

/* A place where MPI waits, so that whoever wants to could change something. */
FUNCTION static void wait_a_little(void) {
  for (int i = 0; i < 3; i++) MPI_Barrier(MPI_COMM_WORLD);
  usleep(PAUSE_US);
}

FUNCTION void step(int i, int share) {
  began = value;
  apart += value != partner;
  wait_a_little();
  weigh(i, 3);
  scale(1, 0.5);
  WATCH("value", value, 1);
  WATCH("share", share, 2);
  WATCH("kept", kept, 1);
  WATCH("way", plain(i), 10);
  WATCH("weight", weight, 3);
  WATCH("factor", factor, 0.5);
  wait_a_little();
  apart += value != partner;
  ended = value;
  inside += ended != began;
}

int main(int argc, char **argv) {
  int stop = 0, sum, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 9) seldom();
  while (!stop && steps < MOST) {
    int before = value, after;
    step(steps, 2);
    after = value;
    at_entry += began != before;
    at_return += after != ended;
    wait_a_little();
    outside += value != after;
    steps++;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    stop = rank == 0 && access("stop", F_OK) == 0;
    MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  printf("rank %d: %d steps, inside %d outside %d entry %d return %d apart %d, notes %d %d\n", rank, steps, inside, outside,
         at_entry, at_return, apart, notes_before, notes_after);
  MPI_Finalize();
  return 0;
}
